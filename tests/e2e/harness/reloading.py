"""What tests of a changed configuration share."""
from .case import Case
from .configuration import rewrite
from .patience import eventually


class Reloading(Case):
    """What the themes share."""

    def count(self, proxy, result):
        return proxy.metrics().sum("onceward_config_reloads_total", result=result)

    def wait_for(self, proxy, result, count):
        eventually(lambda: self.count(proxy, result) >= count, "%d reloads are %s" % (count, result))
        self.assertEqual(self.count(proxy, result), count)

    def change(self, proxy, result="applied", **changes):
        """Rewrites the file and waits until that has come to something."""
        before = self.count(proxy, result)
        rewrite(proxy, **changes)
        self.wait_for(proxy, result, before + 1)

    def assert_guarded(self, proxy, target):
        self.assert_problem(proxy.post(None, target=target), "KEY_MISSING", 400)

    def assert_unguarded(self, proxy, target):
        answer = proxy.post(None, target=target)
        self.assertEqual((answer.status, answer.idempotency), (201, None))

    def readiness(self, proxy):
        with proxy.health_client() as client:
            return client.request("GET", "/readyz?verbose", [("Connection", "close")]).body.decode()
