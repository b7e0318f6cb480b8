"""Records over the admin listener and its command line: what is stuck is seen, freed or settled, and that is written down."""
import json
import os

from harness import Background, Gate, by_attempt, created, eventually, gated, main, new_key, status
from harness.admin import DURABLE, HIDDEN, STORES, AdminCase


class StuckPayment(AdminCase):
    def test_from_a_stuck_payment_to_a_freed_key_in_two_commands(self):
        for kind in DURABLE:
            with self.subTest(store=kind):
                heir, upstream, key, gate = self.stuck(self.store_url(kind))
                code, table, errors = self.records(heir, "list", "--state", "unknown")
                self.assertEqual(code, 0, errors)
                header, row = table.splitlines()
                self.assertEqual(header.split()[:5], ["ID", "STATE", "ROUTE", "ATTEMPT", "AGE"])
                digits, state, route, attempt = row.split()[:4]
                self.assertEqual((state, route, attempt), ("UNKNOWN", "orders", "1"))
                # What the table shows is what the log calls the key.
                self.assertEqual(digits, eventually(heir.access_lines, "an access line")[-1]["key_hash"])
                code, output, errors = self.records(heir, "release", digits, "--yes")
                self.assertEqual((code, output), (0, "released: now FAILED\n"), errors)
                self.assertIn("state         UNKNOWN", errors)
                answer = heir.post(key, body=HIDDEN.encode())
                self.assertEqual(answer.idempotency, "executed")
                self.assertEqual(upstream.of_key(key)[1].get("Idempotency-Attempt"), "2")
                self.assertTrue(heir.post(key, body=HIDDEN.encode()).replayed)
                gate.open()
                self.assertEqual(upstream.executions(key), 2)

    def test_the_line_of_a_release_says_who_what_before_and_after_and_no_key(self):
        for kind in DURABLE:
            with self.subTest(store=kind):
                heir, _, key, gate = self.stuck(self.store_url(kind))
                record = self.listed(heir)[0]
                self.assertEqual(self.records(heir, "release", record["id"], "--yes")[0], 0)
                line = self.the_audit_line(heir, "record.release")
                self.assertEqual((line["level"], line["id"], line["route"], line["verdict"], line["force"], line["token"]),
                                 ("info", record["id"], "orders", "applied", False, "none"))
                self.assertRegex(line["peer"], r"\A127\.0\.0\.1:\d+\Z")
                self.assertEqual(line["before"], "UNKNOWN attempt=1 fence=%d evidence=lease" % record["fence"])
                self.assertRegex(line["after"], r"\AFAILED attempt=1 fence=%d .*may\Z" % record["fence"])
                gate.open()
                for text in (heir.log(), json.dumps(heir.access_lines())):
                    self.assertNotIn(key, text)
                    self.assertNotIn(HIDDEN, text)

    def test_resolved_as_completed_the_next_duplicate_gets_that_answer(self):
        for kind in DURABLE:
            with self.subTest(store=kind):
                heir, upstream, key, gate = self.stuck(self.store_url(kind))
                body = os.path.join(self.directory, "answer")
                with open(body, "wb") as file:
                    file.write(b'{"paid": true}\xff')
                code, output, errors = self.records(heir, "resolve", "--route", "orders", "--key", key, "--outcome", "completed", "--status",
                                                    "201", "--header", "Content-Type: application/json", "--header", "X-Paid: yes", "--body",
                                                    body, "--yes")
                self.assertEqual((code, output), (0, "resolved: now COMPLETED\n"), errors)
                answer = heir.post(key, body=HIDDEN.encode())
                self.assertEqual((answer.status, answer.reason, answer.body, answer.replayed), (201, "Created", b'{"paid": true}\xff', True))
                self.assertEqual((answer.get("Content-Type"), answer.get("X-Paid")), ("application/json", "yes"))
                self.assert_problem(heir.post(key, body=b"another"), "KEY_REUSED", 422)
                self.assertIn("status=201", self.the_audit_line(heir, "record.resolve-completed")["after"])
                self.assertNotIn("paid\\\"", heir.log())
                gate.open()
                self.assertEqual(upstream.executions(key), 1)

    def test_resolved_as_failed_the_next_duplicate_executes_and_its_failure_is_known(self):
        for kind in DURABLE:
            with self.subTest(store=kind):
                heir, upstream, key, gate = self.stuck(self.store_url(kind))
                code, output, errors = self.records(heir, "resolve", self.listed(heir)[0]["id"], "--outcome", "failed", "--yes")
                self.assertEqual((code, output), (0, "resolved: now FAILED\n"), errors)
                self.assertEqual(heir.post(key, body=HIDDEN.encode()).idempotency, "executed")
                gate.open()
                self.assertEqual(upstream.executions(key), 2)

    def test_after_a_release_a_failure_proves_nothing(self):
        for kind in DURABLE:
            with self.subTest(store=kind):
                heir, upstream, key, gate = self.stuck(self.store_url(kind))
                self.assertEqual(self.records(heir, "release", self.listed(heir)[0]["id"], "--yes")[0], 0)
                upstream.handler = status(503)
                answer = heir.post(key, body=HIDDEN.encode())
                self.assertEqual((answer.status, answer.idempotency), (503, "unknown"))
                self.assertEqual(self.listed(heir)[0]["state"], "UNKNOWN")
                gate.open()

    def test_somebody_who_is_not_asked_changes_nothing_without_yes(self):
        heir, _, key, gate = self.stuck(self.store_url("sqlite"))
        code, output, errors = self.records(heir, "release", "--route", "orders", "--key", key)
        self.assertEqual((code, output), (2, ""))
        self.assertIn("--yes", errors)
        self.assertEqual(self.listed(heir)[0]["state"], "UNKNOWN")
        gate.open()


class Rules(AdminCase):
    def executing(self, store):
        """A process that executes a request: (proxy, upstream, key, gate, the client that waits)."""
        gate = Gate()
        self.addCleanup(gate.open)
        upstream = self.upstream(by_attempt(gated(gate), created))
        proxy = self.proxy(upstream, store, {"lease": "15s"})
        key = new_key()
        client = Background(proxy.post, key)
        upstream.wait_for(key)
        return proxy, upstream, key, gate, client

    def test_a_live_lease_gives_way_only_to_force_and_the_owner_is_fenced(self):
        for kind in STORES:
            with self.subTest(store=kind):
                proxy, upstream, key, gate, client = self.executing(self.store_url(kind))
                record = self.listed(proxy, "--state", "processing")[0]
                self.assertTrue(record["lease_until"])
                code, _, errors = self.records(proxy, "release", record["id"], "--yes")
                self.assertEqual(code, 1)
                self.assertIn("FORCE_NEEDED", errors)
                self.assertEqual(proxy.post(key).code, "PROCESSING")
                self.assertEqual(self.records(proxy, "release", record["id"], "--yes", "--force")[0], 0)
                self.assertEqual(proxy.post(key).idempotency, "executed")
                gate.open()
                first = client.result()
                self.assertEqual((first.status, first.get("Idempotency-Recorded")), (201, "false"))
                self.assertEqual(upstream.executions(key), 2)
                lines = eventually(lambda: self.audit_lines(proxy, "record.release")[1:] and self.audit_lines(proxy, "record.release"), "two lines")
                self.assertEqual([(line["verdict"], line["force"]) for line in lines], [("needs-force", False), ("applied", True)])
                self.assertEqual(lines[0]["before"], lines[0]["after"])

    def test_a_completed_record_gives_way_only_to_force(self):
        for kind in STORES:
            with self.subTest(store=kind):
                upstream = self.upstream()
                proxy = self.proxy(upstream, self.store_url(kind))
                key = new_key()
                proxy.post(key)
                code, _, errors = self.records(proxy, "release", "--route", "orders", "--key", key, "--yes")
                self.assertEqual(code, 1)
                self.assertIn("FORCE_NEEDED", errors)
                self.assertTrue(proxy.post(key).replayed)
                self.assertEqual(self.records(proxy, "release", "--route", "orders", "--key", key, "--yes", "--force")[0], 0)
                self.assertEqual(proxy.post(key).idempotency, "executed")
                self.assertEqual(upstream.executions(key), 2)

    def test_the_fence_that_was_seen_is_named_and_another_one_is_a_conflict(self):
        for kind in STORES:
            with self.subTest(store=kind):
                proxy = self.proxy(self.upstream(status(502)), self.store_url(kind))
                key = new_key()
                self.assertEqual(proxy.post(key).idempotency, "unknown")
                record = self.listed(proxy)[0]
                path = "/records/%s/" % record["id"]
                for action, body in (("release", None), ("resolve", {"outcome": "failed"})):
                    self.assert_problem_of_admin(proxy.admin("POST", path + action, body), 400, "FENCE_MISSING")
                    other = "?fence=%d" % (record["fence"] - 1)
                    self.assert_problem_of_admin(proxy.admin("POST", path + action + other, body), 409, "FENCE_CHANGED")
                twice = b'{"outcome": "failed", "outcome": "completed", "status": 200, "status": 204}'
                answer = proxy.admin("POST", path + "resolve?fence=%d" % record["fence"], twice)
                self.assert_problem_of_admin(answer, 400, "BAD_REQUEST")
                self.assertEqual(self.listed(proxy)[0]["state"], "UNKNOWN")
                self.assertEqual(proxy.admin("POST", path + "release?fence=%d" % record["fence"]).status, 200)
                # A lost answer: the same again changes nothing more.
                self.assertEqual(proxy.admin("POST", path + "release?fence=%d" % record["fence"]).status, 200)

    def test_what_is_not_there_is_404(self):
        proxy = self.proxy(self.upstream())
        for path in ("/records/" + "0" * 64, "/records/lookup?route=orders&key=never-used"):
            self.assert_problem_of_admin(proxy.admin("GET", path), 404, "NOT_FOUND")
        self.assert_problem_of_admin(proxy.admin("POST", "/records/%s/release?fence=1" % ("0" * 64)), 404, "NOT_FOUND")
        code, _, errors = self.records(proxy, "show", "--route", "refunds", "--key", "never-used")
        self.assertEqual(code, 2, errors)
        code, _, errors = self.records(proxy, "show", "0123456789abcdef")
        self.assertEqual(code, 1)
        self.assertIn("no record", errors)


class Looking(AdminCase):
    def test_pages_hold_each_record_once_and_filters_choose(self):
        for kind in STORES:
            with self.subTest(store=kind):
                upstream = self.upstream(created)
                routes = [{"name": "orders", "path": "/api/orders"}, {"name": "refunds", "path": "/api/refunds"}]
                proxy = self.onceward(upstream, store=self.store_url(kind), routes=routes, admin=True)
                for _ in range(7):
                    proxy.post(new_key())
                for _ in range(2):
                    proxy.post(new_key(), target="/api/refunds")
                seen, cursor = [], ""
                while cursor is not None:
                    page = proxy.admin("GET", "/records?route=orders&limit=3" + ("&cursor=" + cursor if cursor else "")).json
                    self.assertLessEqual(len(page["records"]), 3)
                    seen += [record["id"] for record in page["records"]]
                    cursor = page["next_cursor"]
                self.assertEqual(len(set(seen)), 7)
                self.assertEqual(len(self.listed(proxy)), 9)
                self.assertEqual({record["route"] for record in self.listed(proxy, "--route", "refunds")}, {"refunds"})
                self.assertEqual(self.listed(proxy, "--state", "unknown"), [])
                self.assert_problem_of_admin(proxy.admin("GET", "/records?route=refund"), 400, "BAD_REQUEST")
                code, _, errors = self.records(proxy, "list", "--route", "refund")
                self.assertEqual(code, 2)
                self.assertIn("route", errors)
                self.assertEqual(self.listed(proxy, "--older-than", "1h"), [])
                self.assertEqual(len(self.listed(proxy, "--limit", "4")), 4)
                one = seen[0]
                self.assertEqual([record["id"] for record in self.listed(proxy, "--id", one[:16])], [one])

    def test_records_of_a_route_that_was_removed_are_listed_as_long_as_there_are_any(self):
        store = self.store_url("sqlite")
        proxy = self.proxy(self.upstream(created), store)
        proxy.post(new_key())
        self.assertEqual(proxy.terminate()[0], 0)
        proxy.configure(routes=[{"name": "payments", "path": "/api/payments"}])
        proxy.start()
        self.assertEqual([record["route"] for record in self.listed(proxy, "--route", "orders")], ["orders"])
        self.assertEqual(self.listed(proxy, "--route", "payments"), [])
        self.assertEqual(self.records(proxy, "list", "--route", "orders", "--state", "failed")[0], 2)

    def test_a_record_is_shown_with_its_answer_only_where_it_is_asked_for(self):
        for kind in STORES:
            with self.subTest(store=kind):
                proxy = self.proxy(self.upstream(), self.store_url(kind), {"scope": ["header:X-Tenant"]})
                key = new_key()
                answer = proxy.post(key, headers=[("X-Tenant", "acme")])
                found = proxy.admin("GET", "/records/lookup?route=orders&scope=acme&key=" + key).json
                self.assertEqual((found["state"], found["status"], found["operation_id"]), ("COMPLETED", 201, answer.operation_id))
                self.assertNotIn("body", found["response"])
                self.assert_problem_of_admin(proxy.admin("GET", "/records/lookup?route=orders&key=" + key), 404, "NOT_FOUND")
                code, output, errors = self.records(proxy, "show", "--route", "orders", "--key", key, "--scope", "header:X-Tenant=acme", "--body",
                                                    "--json")
                self.assertEqual(code, 0, errors)
                self.assertEqual(json.loads(output)["response"]["body"], answer.body.decode())
                code, output, _ = self.records(proxy, "show", found["id"])
                self.assertIn("state         COMPLETED\n", output)

    def test_the_configuration_in_force_is_shown_without_secrets(self):
        proxy = self.proxy(self.upstream(), store="redis://:s3cret-word@127.0.0.1:1", start=False)
        proxy.start(ready=False)
        page = eventually(lambda: proxy.admin_or_none("GET", "/config"), "the admin listener answers")
        self.assertEqual((page.status, page.get("Content-Type")), (200, "application/yaml"))
        self.assertNotIn("s3cret-word", page.body.decode() + proxy.log())
        self.assertIn("***", page.body.decode())
        again = os.path.join(self.directory, "again.yaml")
        with open(again, "wb") as file:
            file.write(page.body)
        self.assertEqual(self.command("check", "-c", again)[0], 0)

    def test_the_health_pages_are_there_too(self):
        proxy = self.proxy(self.upstream())
        self.assertEqual(proxy.admin("GET", "/readyz").status, 200)
        self.assertIn(b"onceward_requests_total", proxy.admin("GET", "/metrics").body)

if __name__ == "__main__":
    main()
