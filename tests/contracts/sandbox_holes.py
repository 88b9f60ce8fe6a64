"""What each backend leaves open, as data: the tests hold it to that, and the page on the sandbox lists it.

A probe that is neither here nor left out must be stopped.
"""

# Without a file system of its own there is no quota, and how far these get depends on the disk.
_NO_QUOTA = ("fill the current folder", "make 60,000 files")
# These would leave files on the machine that runs the tests.
_LITTER = (
    "fill /dev/shm",
    "fill /tmp",
    "write outside the workspace",
    "leave files for the next case",
    "find files of the case before",
)

HOLES: dict[str, frozenset[str]] = {
    "bubblewrap": frozenset(),
    "docker": frozenset(
        {
            # Its own, and only to read.
            "reach control groups and devices",
        }
    ),
    "landlock": frozenset(),
    # What the service of the tests, one namespace per command under root, leaves open; a real one runs
    # virtual machines, in which most of this reaches nothing.
    "sandy": frozenset(
        {
            "read /etc/shadow",
            "write outside the workspace",
            "open an AF_VSOCK socket",
            "open rare sockets",
            "set where the kernel sends core dumps",
            "change the kernel's settings",
            "make a user namespace",
            "clone into a user namespace",
            "mount",
            "have capabilities",
            "use dangerous system calls",
            "be root",
            "fill /dev/shm",
            "fill /tmp",
            "fill the current folder",
            "run a fork bomb",
            "take memory in a memfd",
            "take memory in twelve processes",
            "use up processor time in many processes",
        }
    ),
    "unsafe": frozenset(
        {
            "read a world-readable file of the host",
            "list the host's temporary folder",
            "write to a folder everybody may write to",
            "see other processes",
            "connect to the host's loopback",
            "connect to the host's address",
            "connect to an abstract socket",
            "connect to a socket in a folder",
            "open an AF_VSOCK socket",
            "make a user namespace",
            "clone into a user namespace",
            "gain rights by a setuid program",
            "reach control groups and devices",
            "use dangerous system calls",
            "take memory in a memfd",
        }
    ),
}
# Known to be open, and not tried for the reason given above.
LEFT_OUT: dict[str, frozenset[str]] = {
    "landlock": frozenset(_NO_QUOTA),
    "sandy": frozenset({"make 60,000 files"}),
    "unsafe": frozenset({*_NO_QUOTA, *_LITTER}),
}
