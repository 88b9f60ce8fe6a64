"""One function per official instruction: does the response follow it with these arguments?"""
