"""Ways out of a sandbox, as programs: each prints whether it got through. None of them does lasting harm.

A program finds `told`, what the driver knows of the host, `reach`, True unless it raises, and `hole`.
"""

PREAMBLE = r"""
import ctypes, json, mmap, os, resource, signal, socket, subprocess, sys, threading, time
told = json.load(sys.stdin)
libc = ctypes.CDLL(None, use_errno=True)

def reach(way):
    try:
        return way() is not False
    except (OSError, ValueError, AttributeError, MemoryError):
        return False

def hole(is_open, note=""):
    print(json.dumps({"hole": bool(is_open), "note": str(note)}), flush=True)

def content(path, size=1 << 16):
    descriptor = os.open(path, os.O_RDONLY)
    try:
        return os.read(descriptor, size)
    finally:
        os.close(descriptor)

def writable(path):
    os.close(os.open(path, os.O_WRONLY))

def filled(folder, size=1 << 20, most=200):
    written = 0
    for number in range(most):
        try:
            with open(f"{folder}/{number}", "wb") as file:
                written += file.write(b"x" * size)
        except OSError:
            break
    return written
"""

# Name → program. Where a program says nothing, the driver judges by how it ended.
PROBES: dict[str, str] = {
    "read /etc/shadow": "hole(reach(lambda: content('/etc/shadow')))",
    "read a world-readable file of the host": "hole(reach(lambda: content(told['public_file'])))",
    "read a file of another session": (
        "hole([one for one in told['other_files'] if reach(lambda: content(one))])"
    ),
    "list the host's temporary folder": "hole(reach(lambda: told['name'] in os.listdir('/tmp') or False))",
    "write to a folder everybody may write to": (
        "hole(reach(lambda: os.close(os.open(told['public_folder'] + '/x', os.O_CREAT | os.O_WRONLY))))"
    ),
    "write outside the workspace": """
places = ['/', '/usr', '/usr/local', '/etc', '/dev', '/proc', '/workspace', '/var/tmp', '/run', '/home']
places = [one for one in [*places, '/root', '/bin', '/lib', '/usr/lib'] if one != os.getcwd()]
def write(folder):
    os.close(os.open(folder + '/assay-probe', os.O_CREAT | os.O_WRONLY))
open_places = [one for one in places if reach(lambda: write(one))]
hole(open_places, open_places)
""",
    "find the service's secret in the environment": (
        "hole(any(told['secret'] in one for one in os.environ.values()))"
    ),
    "read the environment of the service": """
def has_secret(pid):
    return told['secret'].encode() in content(f'/proc/{pid}/environ')
hole([pid for pid in told['pids'] if reach(lambda: has_secret(pid))])
""",
    "see other processes": """
seen = [one for one in os.listdir('/proc') if one.isdigit()] if reach(lambda: os.listdir('/proc')) else []
hole(set(map(int, seen)) & set(told['pids']) if len(seen) < 9 else seen, seen)
""",
    "connect to the host's loopback": (
        "hole(reach(lambda: socket.create_connection(('127.0.0.1', told['port']), timeout=1).close()))"
    ),
    "connect to the host's address": (
        "hole(reach(lambda: socket.create_connection((told['address'], told['port']), timeout=1).close()))"
    ),
    "connect to an abstract socket": """
def connect():
    with socket.socket(socket.AF_UNIX) as one:
        one.connect('\\0' + told['abstract'])
hole(reach(connect))
""",
    "connect to a socket in a folder": """
def connect():
    with socket.socket(socket.AF_UNIX) as one:
        one.connect(told['path_socket'])
hole(reach(connect))
""",
    "open an AF_VSOCK socket": "hole(reach(lambda: socket.socket(40, socket.SOCK_STREAM).close()))",
    "open rare sockets": """
families = [3, 5, 17, 29, 31, 38, 42, 44]
hole([one for one in families if reach(lambda: socket.socket(one, socket.SOCK_DGRAM).close())
      or reach(lambda: socket.socket(one, socket.SOCK_RAW).close())])
""",
    "kill a process of the service": """
for pid in told['victims']:
    reach(lambda: os.kill(pid, signal.SIGKILL))
    libc.syscall(told['pidfd_send_signal'], libc.syscall(434, pid, 0), signal.SIGKILL, None, 0)
""",
    "trace a process of the service": (
        "hole([pid for pid in told['pids'] if libc.ptrace(16, pid, 0, 0) == 0])"
    ),
    "read the memory of the service": """
names = ['maps', 'mem', 'root/etc/passwd', 'cwd', 'fd', 'auxv']
paths = [f'/proc/{pid}/{name}' for pid in told['pids'] for name in names]
hole([one for one in paths if reach(lambda: content(one)) or reach(lambda: os.listdir(one))])
""",
    "set where the kernel sends core dumps": "hole(reach(lambda: writable('/proc/sys/kernel/core_pattern')))",
    "change the kernel's settings": """
paths = ['/proc/sys/vm/drop_caches', '/proc/sysrq-trigger', '/proc/sys/kernel/modprobe', '/proc/kmsg']
hole([one for one in paths if reach(lambda: writable(one))])
""",
    "reach control groups and devices": """
paths = ['/sys/fs/cgroup', '/sys/fs/cgroup/memory', '/sys/kernel', '/dev/vda', '/dev/sda', '/dev/kvm']
paths += ['/dev/mem', '/dev/kmsg']
hole([one for one in paths if reach(lambda: os.listdir(one)) or reach(lambda: os.close(os.open(one, 0)))])
""",
    "make a device": "hole(reach(lambda: os.mknod('device', 0o020600, os.makedev(1, 1))))",
    "make a user namespace": """
flags = [0x10000000, 0x00020000, 0x20000000, 0x40000000, 0x02000000]
hole([hex(one) for one in flags if libc.unshare(one) == 0])
""",
    "clone into a user namespace": """
pid = libc.syscall(told['clone'], 0x10000000 | 17, 0, 0, 0, 0)
if pid == 0:
    os._exit(0)
hole(pid > 0)
""",
    "mount": "hole(libc.mount(b'tmpfs', b'/tmp', b'tmpfs', 0, None) == 0 or libc.umount2(b'/proc', 2) == 0)",
    "have capabilities": """
header, data = (ctypes.c_uint32 * 2)(0x20080522, 0), (ctypes.c_uint32 * 6)()
hole(libc.capget(header, data) != 0 or any(data), list(data))
""",
    "use dangerous system calls": """
buffer = ctypes.create_string_buffer(256)
tried = {name: libc.syscall(number, *arguments) for name, number, arguments in [
    ('bpf', told['bpf'], (0, buffer, 128)),
    ('userfaultfd', told['userfaultfd'], (1,)),
    ('io_uring', 425, (4, buffer)),
    ('keyctl', told['keyctl'], (0, -3, 1)),
    ('perf', told['perf'], (buffer, 0, -1, -1, 0)),
]}
hole([name for name, result in tried.items() if result >= 0])
""",
    "be root": "hole(os.getuid() == 0 or os.geteuid() == 0)",
    "gain rights by a setuid program": """
PR_GET_NO_NEW_PRIVS = 39
hole(libc.prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) != 1)
""",
    "inherit descriptors": """
found = [one for one in range(3, 256) if reach(lambda: os.fstat(one))]
hole(found, found)
""",
    "fill /dev/shm": "hole(os.path.isdir('/dev/shm') and filled('/dev/shm') > told['disk_bytes'])",
    "fill /tmp": "hole(reach(lambda: os.mkdir('/tmp/fill') or filled('/tmp/fill') > told['disk_bytes']))",
    "fill the current folder": "written = filled('.'); hole(written > told['disk_bytes'] * 1.01, written)",
    "make 60,000 files": """
made = 0
try:
    for made in range(60000):
        os.close(os.open(f'f{made}', os.O_CREAT | os.O_WRONLY))
except OSError:
    pass
hole(made > told['inodes'], made)
""",
    "write one huge file": """
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
written = 0
try:
    with open('huge', 'wb') as file:
        for _ in range(64):
            written += file.write(b'x' * (1 << 20))
            file.flush()
except OSError:
    pass
hole(written > told['file_bytes'] + (1 << 20), written)
""",
    "open many files": """
opened = []
try:
    while len(opened) < 1000:
        opened.append(os.open('/dev/null', os.O_RDONLY))
except OSError:
    pass
hole(len(opened) > told['open_files'], len(opened))
""",
    "run a fork bomb": """
made = 0
for _ in range(400):
    try:
        if os.fork() == 0:
            time.sleep(60)
            os._exit(0)
    except OSError:
        break
    made += 1
# A user's limit counts the processes of other sandboxes too, and those that end meanwhile make room.
hole(made > 4 * told['processes'], made)
""",
    "take memory in one process": """
held = []
try:
    for _ in range(60):
        held.append(b'x' * (10 << 20))
except MemoryError:
    pass
hole(len(held) * (10 << 20) > told['memory_bytes'] * 1.1, len(held))
""",
    "take memory in a memfd": """
written = 0
def fill():
    global written
    # Little more than the limit, since a slow machine would end it for its processor time.
    while written <= told['memory_bytes'] * 1.1:
        descriptor = os.memfd_create('fill')
        for _ in range(5):
            written += os.write(descriptor, b'x' * (1 << 20))
reach(fill)
hole(written > told['memory_bytes'] * 1.1, written)
""",
    "take memory in twelve processes": """
ready, done = os.pipe()
for _ in range(12):
    if os.fork() == 0:
        held = b'x' * (told['memory_bytes'] // 3)
        os.write(done, b'1')
        time.sleep(60)
        os._exit(0)
os.close(done)
os.set_blocking(ready, False)
deadline, count, ended = time.monotonic() + 30, 0, 0
# A slow machine takes seconds for this; a control group that has a limit ends one of the twelve.
while time.monotonic() < deadline and count < 5 and not ended:
    try:
        count += len(os.read(ready, 12))
    except BlockingIOError:
        time.sleep(0.02)
    ended = os.waitpid(-1, os.WNOHANG)[0]
# Where a monitor looks at the memory from time to time, it ends all of them.
time.sleep(2)
hole(count >= 5, count)
""",
    "use up processor time": """
for number in (signal.SIGXCPU, signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
    signal.signal(number, signal.SIG_IGN)
while True:
    pass
""",
    "use up processor time in many processes": """
for _ in range(8):
    if os.fork() == 0:
        began = time.process_time()
        while time.process_time() - began < 0.45:
            pass
        os._exit(0)
for _ in range(8):
    os.wait()
hole(True, 'all eight had their time')
""",
    "sleep for ever": "time.sleep(600)",
    "write without end": """
while True:
    sys.stdout.write('x' * 65536)
""",
    "write errors without end": """
while True:
    os.write(2, b'x' * 65536)
""",
    "leave a daemon behind": """
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        os.execv(sys.executable, [sys.executable, '-c', 'import time; time.sleep(300)', told['daemon']])
    os._exit(0)
time.sleep(0.2)
""",
    "keep the output open in a child": """
if os.fork() == 0:
    time.sleep(300)
print('done', flush=True)
os._exit(0)
""",
}

# They only look: a place where each start is dear runs all of them in one, each in a process of its own.
LOOKING = frozenset(list(PROBES)[: list(PROBES).index("fill /dev/shm")])
BUNDLE = r"""
for name, program in told['bundle'].items():
    said, say = os.pipe()
    if os.fork() == 0:
        os.dup2(say, 1)
        os.close(say)
        os.close(said)
        exec(program, globals())
        sys.stdout.flush()
        os._exit(0)
    os.close(say)
    with os.fdopen(said) as file:
        output = file.read()
    print(json.dumps({'name': name, 'stdout': output, 'status': os.wait()[1]}), flush=True)
"""

# What one case could do to the next; in this order.
NEIGHBOUR_PROBES: dict[str, str] = {
    "leave files for the next case": """
for folder in ('/tmp', '/dev/shm', '/workspace', '.', '/', '/dev', '/var/tmp'):
    reach(lambda: open(folder + '/left-behind', 'w').close())
libc.shmget(0x4242, 4096, 0o1666)
libc.semget(0x4242, 1, 0o1666)
libc.msgget(0x4242, 0o1666)
""",
    "find files of the case before": """
found = [one for one in ('/tmp', '/dev/shm', '/workspace', '.', '/', '/dev', '/var/tmp')
         if os.path.exists(one + '/left-behind')]
keys = [libc.shmget(0x4242, 4096, 0o600), libc.semget(0x4242, 1, 0o600), libc.msgget(0x4242, 0o600)]
hole(found or any(one >= 0 for one in keys), (found, keys))
""",
    "change what the next case imports": """
import math
math.sqrt = lambda x: 42
import builtins
builtins.print = None
sys.modules['json'].loads = None
""",
    "find what the case before changed": "import math; hole(math.sqrt(4) != 2)",
}

# Only where a process of our own forks the cases.
ZYGOTE_PROBES: dict[str, str] = {
    "kill the process that forks cases": """
for pid in range(1, 40):
    if pid != os.getpid():
        reach(lambda: os.kill(pid, signal.SIGKILL))
reach(lambda: os.kill(os.getppid(), signal.SIGKILL))
hole(os.getppid() != 0, os.getppid())
""",
    "read the process that forks cases": """
names = ['environ', 'maps', 'mem', 'fd', 'cmdline', 'root/proc']
paths = [f'/proc/{pid}/{name}' for pid in range(2, 20) for name in names]
hole([one for one in paths if reach(lambda: content(one)) or reach(lambda: os.listdir(one))])
""",
    "change the memory of the process that forks": """
hole([pid for pid in (0, 1, 2, 3) if pid != os.getpid() and reach(lambda: writable(f'/proc/{pid}/mem'))])
""",
}
