"""The guard as a client meets it: first, duplicate, other request, still running, and what counts as a key."""
import time

from harness import Background, Case, Gate, created, eventually, gated, for_each_store, main, new_key, scaled


class Duplicates(Case):
    @for_each_store
    def test_a_first_request_executes_and_its_duplicate_gets_the_same_answer(self, store):
        upstream = self.upstream()
        proxy = self.onceward(upstream, store=store)
        key = new_key()
        first = proxy.post(key)
        again = proxy.post(key)
        self.assertEqual((first.status, first.idempotency, first.replayed), (201, "executed", False))
        self.assertEqual((again.status, again.idempotency, again.replayed), (201, "replayed", True))
        self.assertEqual((again.body, again.reason), (first.body, first.reason))
        self.assertEqual(again.get("X-Execution"), first.get("X-Execution"))
        self.assertEqual(again.operation_id, first.operation_id)
        self.assertTrue(again.get("Idempotency-Original-Date"))
        self.assertEqual(upstream.executions(key), 1)

    def test_the_service_is_told_operation_attempt_and_fence(self):
        upstream = self.upstream()
        proxy = self.onceward(upstream)
        key = new_key()
        answer = proxy.post(key)
        request = upstream.wait_for(key)
        self.assertEqual(request.all("Idempotency-Operation-Id"), [answer.operation_id])
        self.assertEqual(request.all("Idempotency-Attempt"), ["1"])
        self.assertRegex(request.get("Idempotency-Fence"), r"\A[1-9]\d*\Z")
        self.assertTrue(0 < int(answer.operation_id) < 2 ** 63)
        self.assertEqual(request.body, b'{"item":"tea"}')

    def test_what_clients_forge_never_reaches_the_service(self):
        upstream = self.upstream()
        proxy = self.onceward(upstream)
        forged = [("Idempotency-Operation-Id", "7"), ("Idempotency_Attempt", "8"), ("idempotency-fence", "9"),
                  ("Connection", "Idempotency-Fence")]
        key = new_key()
        proxy.post(key, headers=forged)
        request = upstream.wait_for(key)
        self.assertEqual(len(request.all("Idempotency-Operation-Id")), 1)
        self.assertEqual(request.all("Idempotency-Attempt") + request.all("Idempotency_Attempt"), ["1"])
        self.assertNotIn("9", request.all("Idempotency-Fence"))
        proxy.send("POST", "/elsewhere", forged, b"x")
        unguarded = upstream.requests[-1]
        self.assertEqual([name for name, _ in unguarded.fields if name.lower().replace("_", "-").startswith("idempotency")], [])

    def test_what_the_service_forges_never_reaches_the_client(self):
        forged = [("Idempotency-Status", "replayed"), ("Idempotency-Replayed", "true"), ("Idempotency-Recorded", "false"),
                  ("Idempotency-Guarded", "false"), ("Idempotency-Original-Date", "x")]
        upstream = self.upstream(lambda exchange: exchange.body and exchange.reply(201, b"ok", forged))
        proxy = self.onceward(upstream)
        answer = proxy.post(new_key())
        self.assertEqual(answer.all("Idempotency-Status"), ["executed"])
        for name in ("Replayed", "Recorded", "Guarded", "Original-Date"):
            self.assertEqual(answer.all("Idempotency-" + name), [])
        unguarded = proxy.send("POST", "/elsewhere", (), b"x")
        self.assertEqual([name for name, _ in unguarded.fields if name.lower().startswith("idempotency")], [])

    @for_each_store
    def test_another_body_under_the_same_key_is_refused(self, store):
        upstream = self.upstream()
        proxy = self.onceward(upstream, store=store)
        key = new_key()
        first = proxy.post(key)
        other = proxy.post(key, body=b'{"item":"coffee"}')
        self.assert_problem(other, "KEY_REUSED", 422, "mismatch")
        self.assertEqual((other.json["mismatch"], other.json["retry"]), (["body"], "new-key"))
        self.assertEqual(other.json["operation_id"], first.operation_id)
        self.assertEqual(proxy.post(key).body, first.body)
        self.assertEqual(upstream.executions(key), 1)

    def test_another_query_or_method_under_the_same_key_is_refused(self):
        proxy = self.onceward(self.upstream())
        key = new_key()
        proxy.post(key)
        self.assertEqual(proxy.post(key, target="/api/orders?a=1").json["mismatch"], ["query"])
        patched = proxy.send("PATCH", "/api/orders", [("Idempotency-Key", key)], b'{"item":"tea"}')
        self.assertEqual(patched.json["mismatch"], ["method"])

    def test_another_caller_learns_nothing_about_the_record(self):
        proxy = self.onceward(self.upstream())
        key = new_key()
        first = proxy.post(key, headers=[("Authorization", "Bearer one")])
        other = proxy.post(key, headers=[("Authorization", "Bearer two")])
        self.assert_problem(other, "KEY_REUSED", 422, "mismatch")
        self.assertEqual((other.json["mismatch"], other.json["retry"]), (["caller"], "none"))
        self.assertNotIn(first.operation_id, str(other.fields) + other.body.decode())

    def test_canonical_json_compares_values(self):
        upstream = self.upstream()
        proxy = self.onceward(upstream, {"fingerprint": {"json": "canonical"}})
        key = new_key()
        json_type = [("Content-Type", "application/json")]
        proxy.post(key, body=b'{"a": 1, "b": [true, "x"]}', headers=json_type)
        self.assertTrue(proxy.post(key, body=b'{"b":[true,"\\u0078"],"a":1}', headers=json_type).replayed)
        self.assertEqual(proxy.post(key, body=b'{"b":[true,"x"],"a":1.0}', headers=json_type).status, 422)
        self.assertEqual(upstream.wait_for(key).body, b'{"a": 1, "b": [true, "x"]}')


class StillRunning(Case):
    @for_each_store
    def test_a_duplicate_of_a_running_request_is_told_when_to_come_back(self, store):
        gate = Gate()
        upstream = self.upstream(gated(gate))
        proxy = self.onceward(upstream, {"lease": "15s"}, store=store)
        key = new_key()
        first = Background(proxy.post, key)
        upstream.wait_for(key)
        busy = proxy.post(key)
        self.assert_problem(busy, "PROCESSING", 409, "processing")
        self.assertEqual(busy.json["retry"], "same-key")
        self.assertTrue(1 <= int(busy.get("Retry-After")) <= 15)
        self.assert_problem(proxy.post(key, body=b"other"), "KEY_REUSED", 422)
        gate.open()
        self.assertEqual(first.result().status, 201)
        self.assertTrue(proxy.post(key).replayed)
        self.assertEqual(upstream.executions(key), 1)

    @for_each_store
    def test_a_duplicate_waits_for_the_answer_where_the_route_says_so(self, store):
        gate = Gate()
        upstream = self.upstream(gated(gate))
        proxy = self.onceward(upstream, {"wait": "30s"}, store=store)
        key = new_key()
        first = Background(proxy.post, key)
        upstream.wait_for(key)
        waiting = [Background(proxy.post, key) for _ in range(3)]
        eventually(lambda: proxy.metrics().sum("onceward_in_flight") == 4, "four requests are in flight")
        gate.open()
        body = first.result().body
        for waiter in waiting:
            answer = waiter.result()
            self.assertEqual((answer.status, answer.replayed, answer.body), (201, True, body))
        self.assertEqual(upstream.executions(key), 1)

    def test_when_the_first_fails_exactly_one_waiter_executes(self):
        gate = Gate()

        def fails_once(exchange):
            exchange.body
            if exchange.number == 1:
                gate.wait()
                exchange.reply(503, b"not now")
            else:
                created(exchange)

        upstream = self.upstream(fails_once)
        proxy = self.onceward(upstream, {"wait": "30s"})
        key = new_key()
        first = Background(proxy.post, key)
        upstream.wait_for(key)
        waiting = [Background(proxy.post, key) for _ in range(5)]
        eventually(lambda: proxy.metrics().sum("onceward_in_flight") == 6, "six requests are in flight")
        gate.open()
        self.assertEqual((first.result().status, first.result().idempotency), (503, "failed"))
        answers = [waiter.result() for waiter in waiting]
        self.assertEqual(sorted(answer.idempotency for answer in answers), ["executed"] + ["replayed"] * 4)
        self.assertEqual(upstream.executions(key), 2)

    def test_a_client_may_ask_for_a_shorter_wait(self):
        gate = Gate()
        upstream = self.upstream(gated(gate))
        proxy = self.onceward(upstream, {"wait": "60s"})
        key = new_key()
        first = Background(proxy.post, key)
        upstream.wait_for(key)
        begun = time.monotonic()
        answer = proxy.post(key, headers=[("Prefer", "wait=1")])
        waited = time.monotonic() - begun
        self.assert_problem(answer, "PROCESSING", 409)
        self.assertGreater(waited, 0.9)
        self.assertLess(waited, scaled(5))
        for preference in ('wait="0"', "respond-async, wait=0; foo=bar", "wait = 0;x", 'handling="a, wait=9", wait=0'):
            begun = time.monotonic()
            self.assert_problem(proxy.post(key, headers=[("Prefer", preference)]), "PROCESSING", 409)
            self.assertLess(time.monotonic() - begun, scaled(5), preference)
        gate.open()
        first.result()

    def test_another_body_does_not_wait(self):
        gate = Gate()
        upstream = self.upstream(gated(gate))
        proxy = self.onceward(upstream, {"wait": "60s"})
        key = new_key()
        first = Background(proxy.post, key)
        upstream.wait_for(key)
        self.assert_problem(proxy.post(key, body=b"other"), "KEY_REUSED", 422)
        self.assertTrue(first.running())
        gate.open()
        first.result()


class Keys(Case):
    def test_quoted_and_bare_name_the_same_key(self):
        upstream = self.upstream()
        proxy = self.onceward(upstream)
        proxy.post('"ab:c/d=@1"')
        self.assertTrue(proxy.post("ab:c/d=@1").replayed)
        self.assertEqual(len(upstream.requests), 1)

    def test_no_key_where_one_is_required_is_refused(self):
        upstream = self.upstream()
        proxy = self.onceward(upstream)
        self.assert_problem(proxy.post(), "KEY_MISSING", 400, "refused")
        self.assertEqual(upstream.requests, [])

    def test_malformed_keys_are_refused_and_nothing_is_asked(self):
        upstream = self.upstream()
        proxy = self.onceward(upstream, routes=[{"name": "a", "path": "/api/orders"},
                                                {"name": "b", "path": "/optional", "key": {"required": False}}])
        for target in ("/api/orders", "/optional"):
            for key in ("", '""', '"open', "a b", "a,b", 'a"b', '"a";p=1', '"a", "b"', "k\xe9y", "k" * 256, '"' + "k" * 256 + '"'):
                with self.subTest(target=target, key=key):
                    self.assert_problem(proxy.post(key, target=target), "KEY_INVALID", 400, "refused")
            repeated = proxy.post("one", target=target, headers=[("Idempotency-Key", "one")])
            self.assert_problem(repeated, "KEY_INVALID", 400, "refused")
        self.assertEqual(upstream.requests, [])

    def test_the_longest_key_is_taken(self):
        proxy = self.onceward(self.upstream())
        self.assertEqual(proxy.post("k" * 255).status, 201)
        self.assertTrue(proxy.post('"' + "k" * 255 + '"').replayed)

    def test_keyless_requests_pass_where_the_key_is_optional(self):
        upstream = self.upstream()
        proxy = self.onceward(upstream, {"key": {"required": False}})
        answers = [proxy.post(), proxy.post()]
        self.assertEqual([answer.idempotency for answer in answers], [None, None])
        self.assertEqual(len(upstream.requests), 2)

    def test_connection_cannot_hide_the_key(self):
        upstream = self.upstream()
        proxy = self.onceward(upstream)
        key = new_key()
        proxy.post(key, headers=[("Connection", "Idempotency-Key")])
        self.assertTrue(proxy.post(key).replayed)

    def test_scope_separates_records(self):
        upstream = self.upstream()
        proxy = self.onceward(upstream, {"scope": ["header:X-Tenant"], "caller": []})
        key = new_key()
        first, second = (proxy.post(key, headers=[("X-Tenant", tenant)]) for tenant in ("one", "two"))
        self.assertEqual((first.idempotency, second.idempotency), ("executed", "executed"))
        self.assertNotEqual(first.operation_id, second.operation_id)

    def test_the_key_header_is_kept_stripped_or_renamed(self):
        for wish, kept, renamed in (("keep", ["the-key"], []), ("strip", [], []), ({"rename": "X-Request-Key"}, [], ["the-key"])):
            with self.subTest(forward_key=wish):
                upstream = self.upstream()
                self.onceward(upstream, {"forward_key": wish}).post("the-key")
                self.assertEqual(upstream.requests[0].all("Idempotency-Key"), kept)
                self.assertEqual(upstream.requests[0].all("X-Request-Key"), renamed)


class Matching(Case):
    def test_spellings_of_the_path_do_not_slip_past_the_guard(self):
        upstream = self.upstream()
        proxy = self.onceward(upstream)
        for target in ("/api//orders", "/api/%6frders", "/api/x/../orders", "/api/orders/", "/API/orders", "/api/orders;a=b",
                       "/api/./orders", "http://e2e.test/api/orders"):
            with self.subTest(target=target):
                self.assert_problem(proxy.post(target=target), "KEY_MISSING", 400)
        self.assertEqual(upstream.requests, [])

    def test_the_original_target_is_forwarded(self):
        upstream = self.upstream()
        proxy = self.onceward(upstream)
        proxy.post(new_key(), target="/api//%6frders?q=%41")
        self.assertEqual(upstream.requests[0].target, "/api//%6frders?q=%41")

    def test_what_only_a_looser_reading_guards_is_refused(self):
        upstream = self.upstream()
        proxy = self.onceward(upstream)
        for target in ("/api%2forders", "/api%5corders", "/api/orders%00", "/api/%256frders", "/api\\orders"):
            with self.subTest(target=target):
                self.assert_problem(proxy.post(new_key(), target=target), "BAD_REQUEST", 400)
        self.assertEqual(proxy.send("post", "/api/orders", [("Idempotency-Key", "a")], b"x").status, 400)
        self.assertEqual(upstream.requests, [])

    def test_methods_that_the_route_does_not_name_pass(self):
        upstream = self.upstream()
        proxy = self.onceward(upstream)
        for method in ("GET", "PUT", "DELETE"):
            answers = [proxy.send(method, "/api/orders", [("Idempotency-Key", "same")]) for _ in range(2)]
            self.assertEqual([(answer.status, answer.idempotency) for answer in answers], [(201, None)] * 2)
        self.assertEqual(len(upstream.requests), 6)

    def test_patterns_match_segments_and_depths(self):
        proxy = self.onceward(self.upstream(), routes=[{"name": "one", "path": "/users/{id}/orders"}, {"name": "deep", "path": "/deep/**"}])
        for target in ("/users/7/orders", "/deep/a", "/deep/a/b/c"):
            self.assertEqual(proxy.post(target=target).code, "KEY_MISSING", target)
        for target in ("/users/7/8/orders", "/users//orders", "/deeper/a"):
            self.assertEqual(proxy.post(target=target).status, 201, target)

    def test_mode_off_forwards_untouched(self):
        for off in ("off", False):
            with self.subTest(mode=off):
                upstream = self.upstream()
                proxy = self.onceward(upstream, {"mode": off}, threads=1)
                answers = [proxy.post("same"), proxy.post("same"), proxy.post()]
                self.assertEqual([(answer.status, answer.idempotency) for answer in answers], [(201, None)] * 3)
                self.assertEqual(len(upstream.requests), 3)
                self.assertEqual(proxy.metrics().sum("onceward_requests_total", route="orders", idempotency_status="passed"), 3)
                self.assertEqual(proxy.metrics().sum("onceward_upstream_seconds_count", route="orders"), 3)
                self.assertEqual(proxy.metrics().sum("onceward_requests_total", route=""), 0)
                proxy.terminate()
                lines = [(line["route"], line["idempotency_status"]) for line in proxy.access_lines()]
                self.assertEqual(lines, [("orders", "passed")] * 3)


if __name__ == "__main__":
    main()
