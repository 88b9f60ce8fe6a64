import subprocess
import tempfile


def printed(content):
    with tempfile.NamedTemporaryFile("w") as file:
        file.write(content)
        file.flush()
        command = ["/usr/bin/python3", "-I", "/app/average.py", file.name]
        return subprocess.run(command, capture_output=True, text=True, timeout=10).stdout.strip()


def test_numbers():
    assert printed("1\n2\n4\n") == "2.33"


def test_negative_numbers():
    assert printed("-1\n-2.5\n") == "-1.75"


def test_empty_line():
    assert printed("3\n\n5\n") == "4.00"


def test_empty_file():
    assert printed("") in ("0", "0.00")
