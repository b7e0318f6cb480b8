"""Certificates of listeners that speak TLS: those that clients show, and the renewal of the listener's own."""
import os
import shutil
import ssl

from harness import Authority, Background, Cut, TlsCase, client_context, eventually, main, new_key


class ClientCertificates(TlsCase):
    def setUp(self):
        super().setUp()
        self.clients = Authority(self.directory, "clients")
        self.alice = client_context(self.authority, self.clients.issue("alice", "/O=Shop/CN=alice"))
        self.bob = client_context(self.authority, self.clients.issue("bob", "/O=Shop/CN=bob"))

    def assert_refused(self, proxy, context):
        """With TLS 1.3 a client hears of it behind its own handshake."""
        with self.assertRaises((ssl.SSLError, Cut, ConnectionError)):
            self.post(proxy, new_key(), context)

    def test_who_shows_none_or_a_stranger_s_is_refused(self):
        upstream = self.upstream()
        proxy = self.proxy(upstream, client_ca=self.clients)
        self.assertEqual(self.post(proxy, new_key(), self.alice).status, 201)
        self.assert_refused(proxy, self.context)
        self.assert_refused(proxy, client_context(self.authority, self.authority.issue("alice2", "/O=Shop/CN=alice")))
        self.assert_refused(proxy, client_context(self.authority, self.clients.issue("over", "/O=Shop/CN=alice", days=-1)))
        self.assertEqual(len(upstream.requests), 1)

    def test_the_subject_is_the_caller(self):
        upstream = self.upstream()
        proxy = self.proxy(upstream, client_ca=self.clients, route={"caller": ["tls:subject"]})
        key = new_key()
        self.assertEqual(self.post(proxy, key, self.alice).idempotency, "executed")
        self.assertEqual(self.post(proxy, key, self.alice).idempotency, "replayed")
        other = self.post(proxy, key, self.bob)
        self.assert_problem(other, "KEY_REUSED", 422, "mismatch")
        self.assertEqual(other.json["mismatch"], ["caller"])
        self.assertEqual(upstream.executions(key), 1)

    def test_a_resumed_session_is_still_the_same_caller(self):
        upstream = self.upstream()
        proxy = self.proxy(upstream, client_ca=self.clients, route={"caller": ["tls:subject"]})
        key, session = new_key(), None
        for n in range(3):
            with self.client(proxy, self.alice, session=session) as client:
                answer = client.request("POST", "/api/orders", [("Idempotency-Key", key)], b"{}")
                self.assertEqual(answer.idempotency, "replayed" if n else "executed")
                self.assertEqual(client.socket.session_reused, n > 0)
                session = client.socket.session

    def test_the_subject_is_a_scope(self):
        upstream = self.upstream()
        proxy = self.proxy(upstream, client_ca=self.clients, route={"scope": ["tls:subject"], "caller": []})
        key = new_key()
        for context in (self.alice, self.bob):
            self.assertEqual(self.post(proxy, key, context).idempotency, "executed")
        self.assertEqual(upstream.executions(key), 2)

    def test_a_certificate_without_a_subject_names_nobody(self):
        upstream = self.upstream()
        proxy = self.proxy(upstream, client_ca=self.clients, route={"caller": ["tls:subject"]})
        nobody = client_context(self.authority, self.clients.issue("nobody", "/", alternative="URI:spiffe://shop/orders"))
        self.assert_problem(self.post(proxy, new_key(), nobody), "KEY_INVALID", 400)
        self.assertEqual(upstream.requests, [])


class Renewal(TlsCase):
    def reloads(self, proxy, result):
        return proxy.metrics().sum("onceward_config_reloads_total", result=result)

    def install(self, identity):
        """As a renewal does: each file is replaced by another."""
        for new, place in ((identity.certificate, self.identity.certificate), (identity.key, self.identity.key)):
            shutil.copy(new, place + ".new")
            os.rename(place + ".new", place)

    def serial(self, proxy):
        with self.client(proxy) as client:
            return client.socket.getpeercert()["serialNumber"]

    def test_a_new_certificate_is_taken_under_traffic(self):
        upstream = self.upstream()
        proxy = self.proxy(upstream)
        old = self.serial(proxy)
        stop = []

        def traffic():
            count = 0
            with self.client(proxy) as kept:
                while not stop:
                    for answer in (self.post(proxy, new_key()),
                                   kept.request("POST", "/api/orders", [("Idempotency-Key", new_key())], b"{}")):
                        assert answer.idempotency == "executed", answer
                        count += 1
            return count

        senders = [Background(traffic) for _ in range(3)]
        self.install(self.authority.issue("renewed"))
        eventually(lambda: self.serial(proxy) != old, "the new certificate is shown")
        stop.append(True)
        self.assertGreater(sum(sender.result() for sender in senders), 5)
        self.assertEqual(self.reloads(proxy, "applied"), 1)
        eventually(lambda: '"changed":"listen[127.0.0.1:%d].tls"' % proxy.port in proxy.log(), "it is told")

    def test_a_broken_one_is_told_and_the_old_one_goes_on(self):
        proxy = self.proxy(self.upstream())
        old = self.serial(proxy)
        with open(self.identity.key, "rb") as file:
            key = file.read()
        other = self.authority.issue("other")
        shutil.copy(other.key, self.identity.key)
        eventually(lambda: self.reloads(proxy, "rejected") == 1, "it is refused")
        self.assertEqual(self.serial(proxy), old)
        eventually(lambda: "is not the key of the certificate" in proxy.log(), "it is told")
        with open(self.identity.key, "wb") as file:
            file.write(key)
        eventually(lambda: self.reloads(proxy, "unchanged") == 1, "it is well again")
        self.assertEqual(self.post(proxy, new_key()).status, 201)

    def test_another_client_authority_holds_for_new_connections(self):
        first, second = Authority(self.directory, "first"), Authority(self.directory, "second")
        one, two = (client_context(self.authority, authority.issue("c-" + authority.name)) for authority in (first, second))
        proxy = self.proxy(self.upstream(), client_ca=first)
        with self.client(proxy, one) as client:
            self.assertEqual(client.request("POST", "/api/orders", [("Idempotency-Key", new_key())], b"{}").status, 201)
            session = client.socket.session
        shutil.copy(second.certificate, first.certificate)
        eventually(lambda: self.reloads(proxy, "applied") == 1, "it is taken")
        self.assertEqual(self.post(proxy, new_key(), two).status, 201)
        for earlier in (None, session):
            with self.assertRaises((ssl.SSLError, Cut, ConnectionError)):
                self.post(proxy, new_key(), one, session=earlier)

    def test_a_check_says_what_is_wrong_and_where(self):
        proxy = self.onceward(self.upstream(), start=False)
        other = self.authority.issue("other")
        over = self.authority.issue("over", days=-1)
        for tls, code, text in ((self.tls(), 0, ""), (self.tls(key=other.key), 2, "is not the key of the certificate"),
                                (self.tls(key=os.path.join(self.directory, "none")), 2, "can't be read"),
                                ({"certificate": over.certificate, "key": over.key}, 0, "the certificate has expired")):
            proxy.configure(listen={"address": "127.0.0.1:%d" % proxy.port, "tls": tls})
            got, output, errors = self.command("check", "-c", proxy.path)
            self.assertEqual(got, code, errors)
            if text:
                self.assertRegex(output + errors, r"onceward-0\.yaml:\d+:\d+: listen\.tls\.\w+: .*" + text)


if __name__ == "__main__":
    main()
