"""What the end-to-end tests of TLS listeners share."""
from .case import Case
from .certificates import Authority, TlsClient, client_context


class TlsCase(Case):
    """An authority, an identity for `localhost`, and a proxy that uses it."""

    def setUp(self):
        super().setUp()
        self.authority = Authority(self.directory)
        self.identity = self.authority.issue("server")
        self.context = client_context(self.authority)

    def tls(self, **more):
        return {"certificate": self.identity.certificate, "key": self.identity.key, **more}

    def proxy(self, upstream, client_ca=None, listener=None, **options):
        proxy = self.onceward(upstream, start=False, **options)
        more = {"client_ca": client_ca.certificate} if client_ca else {}
        proxy.configure(listen={"address": "127.0.0.1:%d" % proxy.port, "tls": self.tls(**more), **(listener or {})})
        return proxy.start()

    def client(self, proxy, context=None, **options):
        return TlsClient(proxy.address, context or self.context, **options)

    def post(self, proxy, key, context=None, body=b"{}", **options):
        with self.client(proxy, context, **options) as client:
            return client.request("POST", "/api/orders", [("Idempotency-Key", key), ("Connection", "close")], body)
