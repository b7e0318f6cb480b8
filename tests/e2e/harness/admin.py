"""What the tests of the admin listener share: a payment that is stuck, the command line over the listener, its audit lines."""
import json

from .case import Case, new_key
from .client import Cut
from .patience import Background, Gate, eventually
from .upstream import by_attempt, created, gated

ROUTE = {"lease": "1s"}
STORES = ("memory", "sqlite", "redis")
DURABLE = ("sqlite", "redis")
HIDDEN = "body-0451-of-the-payment"


class AdminCase(Case):
    def proxy(self, upstream, store="memory:", route=None, **options):
        return self.onceward(upstream, {**ROUTE, **(route or {})}, store=store, admin=True, **options)

    def stuck(self, store):
        """A payment whose owner was killed while it was executed: (heir, upstream, key, the gate that the service waits at)."""
        gate = Gate()
        self.addCleanup(gate.open)
        upstream = self.upstream(by_attempt(gated(gate), created))
        owner = self.proxy(upstream, store)
        heir = self.proxy(upstream, store)
        key = new_key()
        client = Background(owner.post, key, HIDDEN.encode())
        upstream.wait_for(key)
        owner.kill()
        with self.assertRaises((Cut, ConnectionError)):
            client.result()
        self.eventually_answers(heir, key, "unknown", body=HIDDEN.encode())
        return heir, upstream, key, gate

    def records(self, proxy, *arguments):
        """(exit code, standard output, standard error) of `onceward records …` about this process."""
        return self.command("records", arguments[0], "-c", proxy.path, *arguments[1:])

    def listed(self, proxy, *filters):
        code, output, errors = self.records(proxy, "list", "--json", *filters)
        self.assertEqual(code, 0, errors)
        return json.loads(output)["records"]

    def audit_lines(self, proxy, action):
        # Warnings about the configuration come before the log, in words.
        lines = [json.loads(line) for line in proxy.log().splitlines(keepends=True) if line.startswith("{") and line.endswith("\n")]
        return [line for line in lines if line["event"] == "audit" and line["action"] == action]

    def the_audit_line(self, proxy, action):
        return eventually(lambda: self.audit_lines(proxy, action), "an audit line of " + action)[-1]

    def assert_problem_of_admin(self, answer, expected, code):
        self.assertEqual((answer.status, answer.get("Content-Type"), answer.code), (expected, "application/problem+json", code), answer.body)
        self.assertTrue(answer.json["detail"])
