"""Free loopback ports. They lie below the range that the system gives to outgoing connections, so that none of those takes one."""
import random
import socket

given = set()


def can_listen(port):
    with socket.socket() as probe:
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
        return True


def free_port():
    """One that no earlier call in this process has given."""
    while True:
        port = random.randrange(12000, 32000)
        if port not in given and can_listen(port):
            given.add(port)
            return port
