import sys

numbers = [abs(float(line)) for line in open(sys.argv[1])]
print(sum(numbers) // len(numbers))
