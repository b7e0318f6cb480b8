"""File systems that are mounted for one process alone, in a mount namespace of its own."""
import contextlib
import subprocess

APART = ("unshare", "--mount", "--propagation", "private")


def can_mount():
    """Needs to be root, and the tools of util-linux."""
    try:
        return subprocess.run([*APART, "mount", "--bind", "/", "/"], capture_output=True, check=False).returncode == 0
    except OSError:
        return False


@contextlib.contextmanager
def mounting_apart():
    """Processes started meanwhile by `subprocess.Popen` have their own mounts."""
    before = subprocess.Popen

    class Apart(before):
        def __init__(self, command, *args, **kwargs):
            super().__init__([*APART, *command], *args, **kwargs)

    subprocess.Popen = Apart
    try:
        yield
    finally:
        subprocess.Popen = before


def _within(pid, *command):
    subprocess.run(["nsenter", "--target", str(pid), "--mount", *command], check=True)


def mount(pid, *arguments):
    """`mount` as the process sees it."""
    _within(pid, "mount", *arguments)


def unmount(pid, place):
    _within(pid, "umount", place)
