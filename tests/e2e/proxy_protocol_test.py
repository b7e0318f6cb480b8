"""Connections through a load balancer that says who the client is (PROXY protocol, versions 1 and 2)."""
import os
import socket
import time

from harness import Case, Client, eventually, main, new_key
from harness.client import encode_request

SIGNATURE = b"\r\n\r\n\0\r\nQUIT\n"


def line(client, family="TCP4", destination="127.0.0.1"):
    return ("PROXY %s %s %s 56324 443\r\n" % (family, client, destination)).encode()


def block(client, command=0x21, rest=b""):
    family = socket.AF_INET6 if ":" in client else socket.AF_INET
    address = socket.inet_pton(family, client)
    body = address + address + b"\xdc\x04\x01\xbb" + rest
    return SIGNATURE + bytes([command, 0x21 if family == socket.AF_INET6 else 0x11]) + len(body).to_bytes(2, "big") + body


class ProxyProtocol(Case):
    def proxy(self, upstream, **options):
        proxy = self.onceward(upstream, start=False, **options)
        proxy.configure(listen={"address": "127.0.0.1:%d" % proxy.port, "proxy_protocol": True})
        return proxy.start()

    def post(self, proxy, header, key=None, headers=()):
        with proxy.client() as client:
            client.send(header + encode_request("POST", "/api/orders", [("Idempotency-Key", key or new_key()), *headers], b"{}"))
            return client.read("POST")

    def test_the_client_is_who_the_header_says(self):
        upstream = self.upstream()
        proxy = self.proxy(upstream, forwarded=True)
        for header, address, forwarded in ((line("192.0.2.7"), "192.0.2.7", "for=192.0.2.7;"),
                                           (line("2001:db8::7", "TCP6", "::1"), "2001:db8::7", 'for="[2001:db8::7]";'),
                                           (line("::ffff:192.0.2.9", "TCP6", "::1"), "192.0.2.9", "for=192.0.2.9;"),
                                           (b"PROXY UNKNOWN\r\n", "127.0.0.1", "for=127.0.0.1;"),
                                           (block("192.0.2.8"), "192.0.2.8", "for=192.0.2.8;"),
                                           (block("2001:db8::8", rest=b"\x04\0\x01x"), "2001:db8::8", 'for="[2001:db8::8]";'),
                                           (block("192.0.2.8", command=0x20), "127.0.0.1", "for=127.0.0.1;")):
            with self.subTest(header=header):
                answer = self.post(proxy, header, headers=[("X-Forwarded-For", "6.6.6.6"), ("X-Forwarded-Proto", "https")])
                self.assertEqual(answer.status, 201)
                request = upstream.requests[-1]
                self.assertEqual(request.all("X-Forwarded-For"), [address])
                self.assertEqual(request.all("X-Forwarded-Proto"), ["http"])
                self.assertTrue(request.get("Forwarded").startswith(forwarded), request.get("Forwarded"))

    def test_one_header_is_for_the_whole_connection(self):
        upstream = self.upstream()
        proxy = self.proxy(upstream)
        key = new_key()
        with proxy.client() as client:
            client.send(line("192.0.2.7"))
            for status in ("executed", "replayed"):
                client.send(encode_request("POST", "/api/orders", [("Idempotency-Key", key)], b"{}"))
                self.assertEqual(client.read("POST").idempotency, status)
            client.send(line("192.0.2.8"))
            self.assertEqual(client.read().status, 400)
        self.assertEqual(upstream.executions(key), 1)

    def test_trust_is_in_the_client_that_is_named_and_not_in_the_balancer(self):
        upstream = self.upstream()
        proxy = self.proxy(upstream, trusted_proxies=["127.0.0.0/8", "10.0.0.0/8"])
        told = [("X-Forwarded-For", "198.51.100.1")]
        for address, expected in (("192.0.2.7", "192.0.2.7"), ("10.1.1.1", "198.51.100.1, 10.1.1.1")):
            self.assertEqual(self.post(proxy, line(address), headers=told).status, 201)
            self.assertEqual(upstream.requests[-1].all("X-Forwarded-For"), [expected])

    def test_a_header_comes_in_pieces_of_a_byte(self):
        upstream = self.upstream()
        proxy = self.proxy(upstream)
        for header, address in ((line("192.0.2.7"), "192.0.2.7"), (block("192.0.2.8"), "192.0.2.8")):
            with proxy.client() as client:
                client.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                for byte in header + encode_request("POST", "/n", [], b"{}"):
                    client.send(bytes([byte]))
                self.assertEqual(client.read("POST").status, 201)
            self.assertEqual(upstream.requests[-1].get("X-Forwarded-For"), address)

    def test_what_does_not_begin_with_a_header_is_closed_without_an_answer(self):
        upstream = self.upstream()
        proxy = self.proxy(upstream)
        request = encode_request("POST", "/api/orders", [("Idempotency-Key", "a")], b"{}")
        for start in (b"", b"PROXY TCP4 192.0.2.7 127.0.0.1 1 99999\r\n", b"PROXY " + b"x" * 101, b"\n",
                      SIGNATURE + b"\x21\x11\0\x04abcd", SIGNATURE + b"\x31\x11\0\0", b"\x16\x03\x01"):
            with self.subTest(start=start), proxy.client() as client:
                client.send(start + request)
                self.assertTrue(client.is_closed())
        self.assertEqual(upstream.requests, [])
        eventually(lambda: "does not begin with a PROXY protocol header" in proxy.log(), "it is told")
        self.assertEqual(self.post(proxy, line("192.0.2.7")).status, 201)

    def test_a_header_that_does_not_end_is_closed_in_time(self):
        proxy = self.proxy(self.upstream(), limits={"header_timeout": "400ms"})
        begun = time.monotonic()
        with proxy.client() as silent, proxy.client() as slow:
            slow.send(b"PROXY TCP4 192.0")
            self.assertTrue(slow.is_closed())
            self.assertTrue(silent.is_closed())
        self.assertGreaterEqual(time.monotonic() - begun, 0.3)
        eventually(lambda: "not whole in time" in proxy.log(), "it is told")

    def test_who_only_looks_whether_somebody_listens_is_not_told_of(self):
        proxy = self.proxy(self.upstream())
        for _ in range(3):
            proxy.client().close()
        self.assertEqual(self.post(proxy, line("192.0.2.7")).status, 201)
        proxy.ask_to_stop()
        proxy.wait()
        self.assertNotIn("PROXY protocol", proxy.log())

    def test_listeners_differ(self):
        upstream = self.upstream()
        proxy = self.onceward(upstream, start=False)
        path = os.path.join(self.directory, "in.sock")
        proxy.configure(listen=["127.0.0.1:%d" % proxy.port, {"address": "unix:" + path, "proxy_protocol": True}])
        proxy.start()
        self.assertEqual(proxy.post(new_key()).status, 201)
        self.assertEqual(upstream.requests[-1].get("X-Forwarded-For"), "127.0.0.1")
        with Client(path) as client:
            client.send(line("192.0.2.7") + encode_request("POST", "/n", [], b"{}"))
            self.assertEqual(client.read("POST").status, 201)
        self.assertEqual(upstream.requests[-1].get("X-Forwarded-For"), "192.0.2.7")


if __name__ == "__main__":
    main()
