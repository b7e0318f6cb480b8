"""Free loopback ports. They lie below the range that the system gives to outgoing connections, so that none of those takes one."""
import fcntl
import os
import random
import socket
import tempfile

# A lock on byte N keeps port N from tests that run at the same time, until this process ends.
locks = open(os.path.join(tempfile.gettempdir(), "onceward-test-ports.%d" % os.getuid()), "ab")
given = set()


def can_listen(port):
    with socket.socket() as probe:
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
        return True


def is_ours(port):
    try:
        fcntl.lockf(locks, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, port)
    except OSError:
        return False
    return True


def free_port():
    """One that no earlier call has given, in this process or another that still runs."""
    while True:
        port = random.randrange(12000, 32000)
        if port not in given and is_ours(port) and can_listen(port):
            given.add(port)
            return port
