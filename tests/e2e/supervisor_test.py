"""What a service manager is told over NOTIFY_SOCKET (systemd, Type=notify), by what a process of the real binary sends there."""
import os
import signal
import socket
import time

from harness import Background, Case, Gate, created, eventually, gated, main, new_key, scaled
from harness.configuration import replace, text_of


class Listener:
    """The end that systemd holds."""

    def __init__(self, address):
        self.address = address
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._socket.bind("\0" + address[1:] if address.startswith("@") else address)
        self._socket.settimeout(scaled(15))

    def close(self):
        self._socket.close()

    def next(self):
        """The assignments of the next datagram."""
        return dict(line.split("=", 1) for line in self._socket.recv(4096).decode().splitlines())

    def is_silent(self):
        self._socket.setblocking(False)
        try:
            self._socket.recv(4096, socket.MSG_PEEK)
            return False
        except BlockingIOError:
            return True
        finally:
            self._socket.settimeout(scaled(15))


class SupervisorTest(Case):
    def listener(self, address=None):
        listener = Listener(address or os.path.join(self.directory, "notify"))
        self.addCleanup(listener.close)
        return listener

    def start_under(self, listener, upstream=None, **options):
        proxy = self.onceward(upstream or self.upstream(), start=False, **options)
        proxy.environment["NOTIFY_SOCKET"] = listener.address
        return proxy.start(ready=False)

    def test_ready_means_that_the_first_request_is_served(self):
        for address in (None, "@onceward-e2e-%d" % os.getpid()):
            with self.subTest(address=address):
                listener = self.listener(address)
                proxy = self.start_under(listener, store="sqlite:%s/%s.db" % (self.directory, new_key()))
                self.assertEqual(listener.next(), {"READY": "1", "STATUS": "serving"})
                self.assertEqual(proxy.post(new_key()).status, 201)

    def test_a_stop_is_told_with_the_time_that_it_may_take(self):
        gate = Gate()
        upstream = self.upstream(gated(gate))
        listener = self.listener()
        proxy = self.start_under(listener, upstream, shutdown_grace="60s")
        listener.next()
        key = new_key()
        client = Background(proxy.post, key)
        upstream.wait_for(key)
        proxy.signal(signal.SIGTERM)
        said = listener.next()
        self.assertEqual(said["STOPPING"], "1")
        self.assertGreater(int(said["EXTEND_TIMEOUT_USEC"]), 60_000_000)
        self.assertLess(int(said["EXTEND_TIMEOUT_USEC"]), 90_000_000)
        gate.open()
        self.assertEqual(client.result().status, 201)
        self.assertEqual(proxy.wait(), 0)

    def test_a_reload_is_told_with_what_came_of_it(self):
        listener = self.listener()
        proxy = self.start_under(listener)
        listener.next()
        for text, status in ((text_of(proxy, shutdown_grace="6s"), "serving"),
                             ("routes: 3\n", "serving; the latest configuration is not used"),
                             (text_of(proxy, shutdown_grace="7s"), "serving")):
            before = time.clock_gettime(time.CLOCK_MONOTONIC)
            replace(proxy.path, text)
            begun = listener.next()
            self.assertEqual(begun["RELOADING"], "1")
            self.assertGreaterEqual(int(begun["MONOTONIC_USEC"]), int(before * 1e6))
            self.assertEqual(listener.next(), {"READY": "1", "STATUS": status})
        self.assertEqual(proxy.post(new_key()).status, 201)

    def test_a_store_that_does_not_answer_holds_up_no_start(self):
        redis = self.redis()
        redis.kill()
        listener = self.listener()
        proxy = self.start_under(listener, store=redis.url, store_options={"timeout": "200ms"})
        self.assertEqual(listener.next(), {"READY": "1", "STATUS": "serving, but the store does not answer"})
        self.assertEqual(proxy.health("/readyz"), 503)
        redis.start()
        self.assertEqual(listener.next(), {"STATUS": "serving"})
        eventually(proxy.is_ready, "it is ready with its store")
        self.assertEqual(proxy.post(new_key()).status, 201)

    def test_nothing_is_told_where_nothing_changes(self):
        listener = self.listener()
        proxy = self.start_under(listener)
        listener.next()
        looks = "onceward_store_seconds_count"
        before = proxy.metrics().sum(looks, operation="ping")
        eventually(lambda: proxy.metrics().sum(looks, operation="ping") > before, "the store is looked at again")
        self.assertTrue(listener.is_silent())

    def test_a_socket_that_is_not_there_stops_nothing(self):
        proxy = self.onceward(self.upstream(created), start=False)
        proxy.environment["NOTIFY_SOCKET"] = os.path.join(self.directory, "absent")
        proxy.start()
        self.assertEqual(proxy.post(new_key()).status, 201)
        self.assertIn("could not be told", proxy.log())


if __name__ == "__main__":
    main()
