"""Every answer of spec section 5 that Onceward gives by itself, in both formats, with messages and statuses of the route's own."""
from harness import Background, Case, Gate, created, gated, main, new_key

# code → (status, retry)
PROBLEMS = {
    "KEY_MISSING": (400, "new-key"),
    "KEY_INVALID": (400, "new-key"),
    "BODY_TOO_LARGE": (413, "none"),
    "PROCESSING": (409, "same-key"),
    "KEY_REUSED": (422, "new-key"),
    "FINGERPRINT_CHANGED": (409, "none"),
    "OUTCOME_UNKNOWN": (409, "none"),
    "RESULT_TOO_LARGE": (409, "none"),
    "RESULT_EXPIRED": (409, "none"),
    "STORE_UNAVAILABLE": (503, "same-key"),
    "STORE_CORRUPT": (503, "same-key"),
    "UPSTREAM_UNREACHABLE": (502, "same-key"),
    "UPSTREAM_LOST": (502, "same-key"),
    "UPSTREAM_TIMEOUT": (504, "same-key"),
    "OVERLOADED": (503, "same-key"),
}
WITH_RETRY_AFTER = ("PROCESSING", "STORE_UNAVAILABLE", "STORE_CORRUPT", "UPSTREAM_TIMEOUT", "OVERLOADED")
WITHOUT_RECORD = ("KEY_MISSING", "KEY_INVALID", "BODY_TOO_LARGE", "STORE_UNAVAILABLE", "STORE_CORRUPT", "OVERLOADED")
REMAPPED = 499


class Provoke:
    """Brings about each answer. `route` carries the errors section under test."""

    def __init__(self, case, errors):
        self.case = case
        self.route = {"errors": errors}

    def code(self, code):
        return getattr(self, code.lower())()

    def pair(self, handler=created, route=None, **options):
        upstream = self.case.upstream(handler)
        return upstream, self.case.onceward(upstream, {**self.route, **(route or {})}, **options)

    def key_missing(self):
        return self.pair()[1].post()

    def key_invalid(self):
        return self.pair()[1].post('"open')

    def body_too_large(self):
        return self.pair(route={"max_request_body": "1KiB"})[1].post(new_key(), body=b"x" * 1025)

    def _while_running(self, ask, **options):
        gate = Gate()
        upstream, proxy = self.pair(gated(gate), **options)
        key = new_key()
        first = Background(proxy.post, key)
        upstream.wait_for(key)
        answer = ask(proxy, key)
        gate.open()
        first.result()
        return answer

    def processing(self):
        return self._while_running(lambda proxy, key: proxy.post(key))

    def overloaded(self):
        return self._while_running(lambda proxy, _: proxy.post(new_key()),
                                   upstream_options={"max_connections": 1, "queue_timeout": "100ms"})

    def _after_first(self, ask, **options):
        _, proxy = self.pair(**options)
        key = new_key()
        proxy.post(key)
        return ask(proxy, key)

    def key_reused(self):
        return self._after_first(lambda proxy, key: proxy.post(key, body=b"other"))

    def fingerprint_changed(self):
        store = self.case.redis().url
        upstream, proxy = self.pair(store=store)
        key = new_key()
        proxy.post(key)
        route = {**self.route, "fingerprint": {"parts": ["method", "body"]}}
        return self.case.onceward(upstream, route, store=store).post(key, body=b"other")

    def _lost(self):
        _, proxy = self.pair(lambda exchange: exchange.body and exchange.reset())
        key = new_key()
        return proxy, key, proxy.post(key)

    def upstream_lost(self):
        return self._lost()[2]

    def outcome_unknown(self):
        proxy, key, _ = self._lost()
        return proxy.post(key)

    def result_too_large(self):
        return self._after_first(lambda proxy, key: proxy.post(key), route={"record_body": False})

    def result_expired(self):
        return self._after_first(lambda proxy, key: self.case.eventually_answers(proxy, key, "refused"),
                                 route={"lease": "300ms", "retention": "300ms", "tombstone": "1h"})

    def store_unavailable(self):
        redis = self.case.redis()
        _, proxy = self.pair(store=redis.url)
        redis.kill()
        return proxy.post(new_key())

    def store_corrupt(self):
        redis = self.case.redis()
        _, proxy = self.pair(store=redis.url)
        key = new_key()
        proxy.post(key)
        record, = redis.command("KEYS", "onceward:{orders:*}")
        redis.command("SETRANGE", record, 2, "JUNK")
        return proxy.post(key)

    def upstream_unreachable(self):
        upstream, proxy = self.pair()
        upstream.refuse()
        return proxy.post(new_key())

    def upstream_timeout(self):
        gate = Gate()
        _, proxy = self.pair(gated(gate), upstream_options={"response_timeout": "200ms"})
        answer = proxy.post(new_key())
        gate.open()
        return answer


class Answers(Case):
    def assert_common(self, answer, code):
        self.assertEqual(answer.get("Cache-Control"), "no-store")
        self.assertEqual(int(answer.get("Content-Length")), len(answer.body))
        self.assertEqual(len(answer.all("Idempotency-Status")), 1)
        self.assertEqual(answer.get("Retry-After") is not None, code in WITH_RETRY_AFTER)

    def test_problem_details(self):
        provoke = Provoke(self, {})
        for code, (status, retry) in PROBLEMS.items():
            with self.subTest(code):
                answer = provoke.code(code)
                self.assert_common(answer, code)
                problem = answer.json
                self.assertEqual(answer.get("Content-Type"), "application/problem+json")
                self.assertEqual((answer.status, problem["status"], problem["code"], problem["retry"]), (status, status, code, retry))
                self.assertEqual(problem["type"], "urn:onceward:problem:" + code.lower().replace("_", "-"))
                self.assertTrue(problem["title"] and problem["detail"] and problem["message"])
                if code in WITHOUT_RECORD:
                    self.assertNotIn("operation_id", problem)
                else:
                    self.assertRegex(problem["operation_id"], r"\A\d+\Z")

    def test_plain_with_statuses_and_messages_of_the_route(self):
        messages = {code: 'zu "%s"\n请稍后' % code for code in PROBLEMS}
        provoke = Provoke(self, {"format": "plain", "messages": messages, "status": {code: REMAPPED for code in PROBLEMS}})
        for code in PROBLEMS:
            with self.subTest(code):
                answer = provoke.code(code)
                self.assert_common(answer, code)
                self.assertEqual((answer.status, answer.json), (REMAPPED, {"code": code, "message": messages[code]}))

    def test_a_remapped_status_stands_in_the_problem_too(self):
        answer = Provoke(self, {"status": {"KEY_MISSING": 428}}).code("KEY_MISSING")
        self.assertEqual((answer.status, answer.json["status"], answer.json["code"]), (428, 428, "KEY_MISSING"))

    def test_answers_show_nothing_of_the_request(self):
        _, proxy = Provoke(self, {}).pair()
        secret = "s3cret" + new_key()
        proxy.post(secret, headers=[("Authorization", secret)])
        for answer in (proxy.post(secret, body=secret.encode(), headers=[("Authorization", secret)]), proxy.post('"' + secret),
                       proxy.post(secret, target="/api/orders?" + secret)):
            self.assertGreaterEqual(answer.status, 400)
            self.assertNotIn(secret, str(answer.fields) + answer.body.decode())


if __name__ == "__main__":
    main()
