"""Free loopback ports. They lie below the range that the system gives to outgoing connections, so that none of those takes one."""
import random
import socket


def can_listen(port):
    with socket.socket() as probe:
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
        return True


def free_port():
    while True:
        port = random.randrange(12000, 32000)
        if can_listen(port):
            return port
