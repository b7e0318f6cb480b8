"""Takes a system call away from the processes that a test starts."""
import contextlib
import ctypes
import platform
import struct
import subprocess

INOTIFY_INIT1 = {"x86_64": 294, "aarch64": 26}
PR_SET_NO_NEW_PRIVS = 38
PR_SET_SECCOMP = 22
SECCOMP_MODE_FILTER = 2
BPF_LOAD_NUMBER = 0x20
BPF_JUMP_EQUAL = 0x15
BPF_RETURN = 0x06
ENOSYS = 0x00050000 | 38
ALLOW = 0x7FFF0000


class Program(ctypes.Structure):
    _fields_ = [("count", ctypes.c_ushort), ("code", ctypes.c_char_p)]


def deny(number):
    """From here on the system call fails with ENOSYS, in this process and those that it becomes."""
    code = b"".join(struct.pack("HBBI", *step) for step in (
        (BPF_LOAD_NUMBER, 0, 0, 0), (BPF_JUMP_EQUAL, 0, 1, number), (BPF_RETURN, 0, 0, ENOSYS), (BPF_RETURN, 0, 0, ALLOW)))
    libc = ctypes.CDLL(None, use_errno=True)
    program = Program(len(code) // 8, code)
    if libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) or libc.prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, ctypes.byref(program), 0, 0):
        raise OSError(ctypes.get_errno(), "seccomp")


def can_deny():
    number = INOTIFY_INIT1.get(platform.machine())
    if number is None:
        return False
    try:
        return subprocess.run(["true"], preexec_fn=lambda: deny(number), check=False).returncode == 0
    except (subprocess.SubprocessError, OSError):
        return False


@contextlib.contextmanager
def denying_inotify():
    """Processes started meanwhile by `subprocess.Popen` have no inotify."""
    before = subprocess.Popen
    number = INOTIFY_INIT1[platform.machine()]

    class Denied(before):
        def __init__(self, *args, **kwargs):
            super().__init__(*args, preexec_fn=lambda: deny(number), **kwargs)

    subprocess.Popen = Denied
    try:
        yield
    finally:
        subprocess.Popen = before
