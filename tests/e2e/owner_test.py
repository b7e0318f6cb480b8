"""An owner that dies or sleeps: what it left behind is unknown, never free, and never another's."""
import os
import time

from harness import Background, Case, Cut, Gate, by_attempt, created, eventually, gated, for_each_store, main, new_key

LEASE = 2.0
ROUTE = {"lease": "2s"}


class DeadOwner(Case):
    def stores(self):
        yield "sqlite", "sqlite:" + os.path.join(self.directory, "dead.db")
        yield "redis", self.redis().url

    def kill_in_mid_execution(self, store, route):
        """A process that is killed while the service works, and its heir: (heir, upstream, key, gate, time of death)."""
        gate = Gate()
        upstream = self.upstream(by_attempt(gated(gate), created))
        owner = self.onceward(upstream, route, store=store)
        heir = self.onceward(upstream, route, store=store)
        key = new_key()
        client = Background(owner.post, key)
        upstream.wait_for(key)
        owner.kill()
        died = time.monotonic()
        with self.assertRaises((Cut, ConnectionError)):
            client.result()
        return heir, upstream, key, gate, died

    def test_after_kill_9_the_record_is_unknown_when_the_lease_is_over_and_not_before(self):
        for kind, store in self.stores():
            with self.subTest(store=kind):
                heir, upstream, key, gate, died = self.kill_in_mid_execution(store, ROUTE)
                seen = []

                def outcome_unknown():
                    seen.append(heir.post(key))
                    return seen[-1].code == "OUTCOME_UNKNOWN"

                eventually(outcome_unknown, "the record reads as unknown")
                elapsed = time.monotonic() - died
                # The last renewal is at most a third of a lease older than the death.
                self.assertGreater(elapsed, LEASE * 2 / 3 - 0.2)
                self.assertEqual({answer.code for answer in seen[:-1]}, {"PROCESSING"})
                self.assert_problem(heir.post(key, body=b"other"), "KEY_REUSED", 422)
                gate.open()
                self.assertEqual(upstream.executions(key), 1)

    def test_where_the_route_says_reforward_the_heir_executes_again_once(self):
        for kind, store in self.stores():
            with self.subTest(store=kind):
                route = {**ROUTE, "on_unknown": "reforward"}
                heir, upstream, key, gate, _ = self.kill_in_mid_execution(store, route)
                answer = self.eventually_answers(heir, key, "executed")
                first, second = upstream.of_key(key)
                self.assertEqual(second.get("Idempotency-Attempt"), "2")
                self.assertEqual(answer.operation_id, first.get("Idempotency-Operation-Id"))
                self.assertTrue(heir.post(key).replayed)
                gate.open()
                self.assertEqual(upstream.executions(key), 2)

    def test_completed_records_survive_the_process(self):
        for kind, store in self.stores():
            with self.subTest(store=kind):
                upstream = self.upstream()
                owner = self.onceward(upstream, store=store)
                key = new_key()
                first = owner.post(key)
                owner.kill()
                again = self.onceward(upstream, store=store).post(key)
                self.assertEqual((again.body, again.replayed), (first.body, True))


class SleepingOwner(Case):
    def sleep_in_mid_execution(self, route):
        """An owner that is stopped past its lease, and another process that sees its record as unknown."""
        self.gate = Gate()
        self.origin = self.upstream(by_attempt(gated(self.gate), created))
        store = self.redis().url
        owner = self.onceward(self.origin, route, store=store)
        other = self.onceward(self.origin, route, store=store)
        self.key = new_key()
        client = Background(owner.post, self.key)
        self.origin.wait_for(self.key)
        owner.pause()
        return owner, other, client

    def test_its_late_answer_completes_its_own_record(self):
        owner, other, client = self.sleep_in_mid_execution(ROUTE)
        self.assert_problem(self.eventually_answers(other, self.key, "unknown"), "OUTCOME_UNKNOWN", 409)
        self.gate.open()
        owner.resume()
        first = client.result()
        self.assertEqual((first.status, first.json), (201, {"execution": 1}))
        again = self.eventually_answers(other, self.key, "replayed")
        self.assertEqual(again.body, first.body)
        self.assertEqual(self.origin.executions(self.key), 1)

    def test_it_goes_on_owning_when_it_wakes_before_the_answer(self):
        owner, other, client = self.sleep_in_mid_execution(ROUTE)
        self.eventually_answers(other, self.key, "unknown")
        owner.resume()
        self.gate.open()
        self.assertEqual(client.result().status, 201)
        self.eventually_answers(other, self.key, "replayed")
        self.assertEqual(self.origin.executions(self.key), 1)

    def test_its_late_answer_never_becomes_anothers(self):
        owner, other, client = self.sleep_in_mid_execution({**ROUTE, "on_unknown": "reforward"})
        second = self.eventually_answers(other, self.key, "executed")
        self.assertEqual(second.json, {"execution": 2})
        self.gate.open()
        owner.resume()
        first = client.result()
        self.assertEqual((first.status, first.json), (201, {"execution": 1}))
        self.assertEqual(first.get("Idempotency-Recorded"), "false")
        for process in (owner, other):
            again = process.post(self.key)
            self.assertEqual((again.json, again.replayed), ({"execution": 2}, True))
        self.assertGreaterEqual(owner.metrics().sum("onceward_fenced_total"), 1)
        fences = [int(request.get("Idempotency-Fence")) for request in self.origin.of_key(self.key)]
        self.assertLess(fences[0], fences[1])

    @for_each_store
    def test_a_lease_is_renewed_while_the_service_works(self, store):
        gate = Gate()
        upstream = self.upstream(gated(gate))
        proxy = self.onceward(upstream, {"lease": "900ms"}, store=store)
        key = new_key()
        client = Background(proxy.post, key)
        upstream.wait_for(key)
        begun = time.monotonic()
        while time.monotonic() - begun < 2.5:
            self.assert_problem(proxy.post(key), "PROCESSING", 409)
        gate.open()
        self.assertEqual(client.result().status, 201)

    @for_each_store
    def test_an_owner_that_answers_as_it_renews_is_not_fenced_by_itself(self, store):
        lease_ms = 1200

        def handler(exchange):
            # The service's work takes just as long as it takes until the lease is renewed, a little less or more.
            time.sleep(lease_ms / 3000 + (exchange.execution % 24 - 16) * 0.002)
            created(exchange)

        proxy = self.onceward(self.upstream(handler), {"lease": "%dms" % lease_ms}, store=store)
        for _ in range(3):
            clients = [Background(proxy.post, new_key()) for _ in range(24)]
            self.assertEqual({client.result().idempotency for client in clients}, {"executed"})
        self.assertEqual(proxy.metrics().sum("onceward_fenced_total"), 0, proxy.log())


if __name__ == "__main__":
    main()
