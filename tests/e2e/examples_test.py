"""The examples of config/examples, run as they stand but for their addresses: each does what its comments say."""
import os
import re

from harness import Background, Case, Gate, Onceward, by_attempt, created, gated, main, new_key, status

EXAMPLES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "config", "examples")
FORM = ("Content-Type", "application/x-www-form-urlencoded")


class Example(Case):
    def example(self, name, upstream, **environment):
        """A running Onceward with the example's file: only where it listens and what stands behind it are others."""
        with open(os.path.join(EXAMPLES, name + ".yaml"), encoding="utf-8") as file:
            text = file.read()

        def with_addresses(port, health_port):
            addresses = {r"^listen: \S+$": "listen: 127.0.0.1:%d" % port, r"^health: \S+$": "health: 127.0.0.1:%d" % health_port,
                         r"http://[\w.]+:3000": upstream.url}
            changed = text
            for pattern, address in addresses.items():
                changed, count = re.subn(pattern, address, changed, flags=re.M)
                self.assertEqual(count, 1, pattern)
            # Its default is one address: two examples at a time would not start.
            return changed + "\nadmin: off\n"

        return self.track(Onceward(with_addresses, self.directory, "%s-%d" % (name, len(self.started)), environment)).start()

    def assert_executed(self, answer, code=201):
        self.assertEqual((answer.status, answer.idempotency), (code, "executed"), answer.body[:300])

    def assert_replays(self, again, first):
        self.assertEqual((again.status, again.body, again.idempotency), (first.status, first.body, "replayed"))


class Orders(Example):
    def test_first_duplicate_and_changed_order(self):
        upstream = self.upstream()
        proxy, key = self.example("orders", upstream), new_key()
        first = proxy.post(key)
        self.assert_executed(first)
        self.assert_replays(proxy.post(key), first)
        changed = proxy.post(key, b'{"item":"coffee"}')
        self.assert_problem(changed, "KEY_REUSED", 422, "mismatch")
        self.assertEqual(changed.json["mismatch"], ["body"])
        self.assert_problem(proxy.post(), "KEY_MISSING", 400, "refused")
        self.assertEqual(upstream.executions(key), 1)

    def test_a_duplicate_waits_for_the_first_order(self):
        gate = Gate()
        upstream = self.upstream(gated(gate))
        proxy, key = self.example("orders", upstream), new_key()
        first = Background(proxy.post, key)
        upstream.wait_for(key)
        second = Background(proxy.post, key)
        gate.open()
        self.assert_replays(second.result(), first.result())
        self.assertEqual(upstream.executions(key), 1)

    def test_a_change_is_compared_by_value_and_its_order_belongs_to_the_key(self):
        upstream = self.upstream()
        proxy, key = self.example("orders", upstream), [("Idempotency-Key", new_key())]
        first = proxy.send("PATCH", "/api/orders/7", key, b'{"item":"tea","count":2}')
        self.assert_executed(first)
        self.assert_replays(proxy.send("PATCH", "/api/orders/7", key, b'{ "count": 2, "item": "tea" }'), first)
        self.assert_problem(proxy.send("PATCH", "/api/orders/7", key, b'{"item":"tea","count":3}'), "KEY_REUSED", 422)
        self.assert_executed(proxy.send("PATCH", "/api/orders/8", key, b'{"item":"tea","count":2}'))

    def test_a_cancellation_needs_no_key(self):
        upstream = self.upstream()
        proxy, key = self.example("orders", upstream), new_key()
        for execution in (1, 2):
            answer = proxy.post(target="/api/orders/7/cancel")
            self.assertEqual((answer.status, answer.idempotency, answer.json["execution"]), (201, None, execution))
        first = proxy.post(key, target="/api/orders/7/cancel")
        self.assert_executed(first)
        self.assert_replays(proxy.post(key, target="/api/orders/7/cancel"), first)


class Payments(Example):
    def pay(self, proxy, key, body=b'{"amount":"10.00"}', merchant="m-1", target="/v1/payments"):
        return proxy.post(key, body, target, [("X-Merchant-Id", merchant)])

    def test_first_duplicate_and_changed_payment_over_two_replicas(self):
        upstream, redis = self.upstream(), self.redis()
        one, other = (self.example("payments", upstream, REDIS_URL=redis.url) for _ in range(2))
        key = new_key()
        first = self.pay(one, key)
        self.assert_executed(first)
        self.assert_replays(self.pay(other, key), first)
        self.assert_problem(self.pay(other, key, b'{"amount":"99.00"}'), "KEY_REUSED", 422, "mismatch")
        self.assertEqual(upstream.executions(key), 1)
        self.assert_executed(self.pay(other, key, merchant="m-2"))
        self.assert_problem(self.pay(one, "short"), "KEY_INVALID", 400, "refused")
        self.assertTrue(redis.command("KEYS", "payments:*"))

    def test_after_a_5xx_nobody_pays_again(self):
        upstream = self.upstream(status(500))
        proxy, key = self.example("payments", upstream, REDIS_URL=self.redis().url), new_key()
        self.assertEqual((self.pay(proxy, key).status, self.pay(proxy, key).code), (500, "OUTCOME_UNKNOWN"))
        self.assertRegex(self.pay(proxy, key).json["message"], "Do not pay again")
        self.assertEqual(upstream.executions(key), 1)

    def test_a_capture_of_unknown_outcome_is_sent_again(self):
        def cut(exchange):
            exchange.body
            exchange.close()
        upstream = self.upstream(by_attempt(cut, created))
        proxy, key = self.example("payments", upstream, REDIS_URL=self.redis().url), new_key()
        self.assert_problem(self.pay(proxy, key, target="/v1/payments/7/capture"), "UPSTREAM_LOST", 502, "unknown")
        again = self.pay(proxy, key, target="/v1/payments/7/capture")
        self.assert_executed(again)
        self.assert_replays(self.pay(proxy, key, target="/v1/payments/7/capture"), again)
        self.assertEqual([request.get("Idempotency-Attempt") for request in upstream.of_key(key)], ["1", "2"])


class Webhooks(Example):
    def deliver(self, proxy, sender, event, created_at=1, headers=()):
        return proxy.post(None, b'{"id":"%s","created":%d}' % (event.encode(), created_at), "/webhooks/" + sender, headers)

    def test_a_repeated_event_runs_once_whatever_else_it_says(self):
        upstream = self.upstream(status(200))
        proxy = self.example("webhooks", upstream)
        first = self.deliver(proxy, "stripe", "evt_1", headers=[("Stripe-Signature", "t=1")])
        self.assert_executed(first, 200)
        self.assert_replays(self.deliver(proxy, "stripe", "evt_1", 2, [("Stripe-Signature", "t=2")]), first)
        self.assert_executed(self.deliver(proxy, "stripe", "evt_2"), 200)
        self.assertEqual(len(upstream.requests), 2)

    def test_a_failed_delivery_is_made_again(self):
        codes = iter((500, 404, 507, 200))
        upstream = self.upstream(lambda exchange: status(next(codes))(exchange))
        proxy = self.example("webhooks", upstream)
        answers = [self.deliver(proxy, "stripe", "evt_1") for _ in range(5)]
        self.assertEqual([(answer.status, answer.idempotency) for answer in answers],
                         [(500, "failed"), (404, "failed"), (507, "failed"), (200, "executed"), (200, "replayed")])

    def test_a_delivery_that_is_under_way_or_unknown_makes_the_sender_come_again(self):
        gate = Gate()
        upstream = self.upstream(gated(gate, lambda exchange: exchange.close()))
        proxy = self.example("webhooks", upstream)
        first = Background(self.deliver, proxy, "stripe", "evt_1")
        upstream.wait_for(None)
        meanwhile = self.deliver(proxy, "stripe", "evt_1")
        self.assert_problem(meanwhile, "PROCESSING", 503, "processing")
        self.assertTrue(meanwhile.get("Retry-After"))
        gate.open()
        self.assert_problem(first.result(), "UPSTREAM_LOST", 502, "unknown")
        self.assert_problem(self.deliver(proxy, "stripe", "evt_1"), "OUTCOME_UNKNOWN", 503, "unknown")
        self.assertEqual(len(upstream.requests), 1)

    def test_a_hook_and_a_sender_belong_to_the_key(self):
        upstream = self.upstream(status(200))
        proxy = self.example("webhooks", upstream)

        def github(hook):
            return self.deliver(proxy, "github", "x", headers=[("X-GitHub-Delivery", "d-1"), ("X-GitHub-Hook-ID", hook)])
        first = github("1")
        self.assert_executed(first, 200)
        self.assert_replays(github("1"), first)
        self.assert_executed(github("2"), 200)
        for sender in ("one", "other"):
            first = self.deliver(proxy, sender, "x", headers=[("webhook-id", "msg_1")])
            self.assert_executed(first, 200)
            self.assert_replays(self.deliver(proxy, sender, "y", 2, [("webhook-id", "msg_1")]), first)

    def test_a_build_of_unknown_outcome_may_run_twice(self):
        answers = iter((lambda exchange: exchange.close(), status(200)))
        upstream = self.upstream(lambda exchange: exchange.body and next(answers)(exchange))
        proxy = self.example("webhooks", upstream)
        delivery = [("X-GitHub-Delivery", "d-1"), ("X-GitHub-Hook-ID", "1")]
        self.assert_problem(self.deliver(proxy, "github", "x", headers=delivery), "UPSTREAM_LOST", 502)
        self.assert_executed(self.deliver(proxy, "github", "x", headers=delivery), 200)

    def test_the_secret_token_of_gitlab_says_who_asks(self):
        upstream = self.upstream(status(200))
        proxy, key = self.example("webhooks", upstream), ("Idempotency-Key", new_key())
        first = self.deliver(proxy, "gitlab", "x", headers=[key, ("X-Gitlab-Token", "secret")])
        self.assert_executed(first, 200)
        self.assert_replays(self.deliver(proxy, "gitlab", "x", headers=[key, ("X-Gitlab-Token", "secret")]), first)
        stranger = self.deliver(proxy, "gitlab", "x", headers=[key, ("X-Gitlab-Token", "guess")])
        self.assert_problem(stranger, "KEY_REUSED", 422, "mismatch")
        self.assertEqual(stranger.json["mismatch"], ["caller"])


class Forms(Example):
    PAGE = [("Location", "/orders/7")]

    def submit(self, proxy, form_id, item="tea", token="s-1"):
        body = "form_id=%s&csrf_token=%s&item=%s" % (form_id, token, item)
        return proxy.post(None, body.encode(), "/checkout", [FORM])

    def upload(self, proxy, form_id, boundary):
        parts = (b'--%b\r\nContent-Disposition: form-data; name="%b"\r\n\r\n%b\r\n' % (boundary, name, value)
                 for name, value in ((b"form_id", form_id), (b"csrf_token", b"s-1"), (b"file", b"x" * 2_000_000)))
        return proxy.post(None, b"".join(parts) + b"--%b--\r\n" % boundary, "/documents",
                          [("Content-Type", "multipart/form-data; boundary=" + boundary.decode())])

    def test_a_double_click_gets_the_same_page(self):
        gate = Gate()
        upstream = self.upstream(gated(gate, status(303, self.PAGE)))
        proxy = self.example("forms", upstream)
        first = Background(self.submit, proxy, "f-1")
        upstream.wait_for(None)
        second = Background(self.submit, proxy, "f-1")
        gate.open()
        self.assert_executed(first.result(), 303)
        self.assert_replays(second.result(), first.result())
        self.assertEqual(second.result().get("Location"), "/orders/7")
        self.assertEqual(len(upstream.requests), 1)

    def test_other_values_and_other_people_are_refused_in_plain_words(self):
        upstream = self.upstream(status(303, self.PAGE))
        proxy = self.example("forms", upstream)
        self.assert_executed(self.submit(proxy, "f-1"), 303)
        for refused in (self.submit(proxy, "f-1", item="coffee"), self.submit(proxy, "f-1", token="s-2")):
            self.assertEqual((refused.status, refused.json["code"]), (422, "KEY_REUSED"))
            self.assertRegex(refused.json["message"], "sent already")
        self.assertRegex(proxy.post(None, b"item=tea", "/checkout", [FORM]).json["message"], "out of date")
        self.assertEqual(len(upstream.requests), 1)

    def test_a_form_with_mistakes_may_be_corrected_under_the_same_id(self):
        again = status(422, [("Idempotency-Outcome", "not-executed")])
        answers = iter((again, status(303, self.PAGE)))
        upstream = self.upstream(lambda exchange: next(answers)(exchange))
        proxy = self.example("forms", upstream)
        self.assertEqual(self.submit(proxy, "f-1", item="").status, 422)
        corrected = self.submit(proxy, "f-1")
        self.assert_executed(corrected, 303)
        self.assert_replays(self.submit(proxy, "f-1"), corrected)

    def test_an_upload_is_its_id(self):
        upstream = self.upstream(status(303, self.PAGE))
        proxy = self.example("forms", upstream)
        first = self.upload(proxy, b"f-1", b"one")
        self.assert_executed(first, 303)
        self.assert_replays(self.upload(proxy, b"f-1", b"other"), first)
        self.assertEqual(len(upstream.requests), 1)


if __name__ == "__main__":
    main()
