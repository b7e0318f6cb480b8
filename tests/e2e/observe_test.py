"""What operators see: numbers that add up, and log lines that carry no secret."""
import os
import re

from harness import Case, by_attempt, created, eventually, main, new_key, status

README = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "README.md")


class Numbers(Case):
    def test_the_idempotency_statuses_add_up_to_the_requests(self):
        upstream = self.upstream(created)
        proxy = self.onceward(upstream, routes=[{"name": "orders", "path": "/api/orders"},
                                                {"name": "optional", "path": "/optional", "key": {"required": False}}])
        key = new_key()
        proxy.post(key)
        proxy.post(key)
        proxy.post(key)
        proxy.post(key, body=b"other")
        proxy.post()
        proxy.post(target="/optional")
        proxy.send("GET", "/elsewhere")
        proxy.send("GET", "/elsewhere?" + "x" * 9000)
        upstream.handler = by_attempt(status(503), created)
        failing = new_key()
        proxy.post(failing)
        proxy.post(failing)
        metrics = proxy.metrics_at_rest()
        counted = {name: metrics.sum("onceward_requests_total", idempotency_status=name)
                   for name in ("executed", "replayed", "mismatch", "failed")}
        self.assertEqual(counted, {"executed": 2, "replayed": 2, "mismatch": 1, "failed": 1})
        self.assertEqual(metrics.sum("onceward_requests_total"), 10)
        self.assertEqual(metrics.sum("onceward_requests_total", route="orders", idempotency_status="refused"), 1)
        self.assertEqual(metrics.sum("onceward_requests_total", route="optional", idempotency_status="passed"), 1)
        self.assertEqual(metrics.sum("onceward_requests_total", route="orders", status_class="2xx"), 4)
        self.assertEqual(metrics.sum("onceward_executions_total", route="orders"), 3)
        self.assertEqual(metrics.sum("onceward_in_flight"), 0)
        self.assertEqual(metrics.sum("onceward_build_info"), 1)
        self.assertEqual(metrics.sum("onceward_store_seconds_count", operation="claim"), 6)

    def test_the_health_listener_knows_three_pages(self):
        proxy = self.onceward(self.upstream())
        self.assertEqual([proxy.health(path) for path in ("/livez", "/readyz", "/metrics", "/other")], [200, 200, 200, 404])

    def test_the_health_listener_can_be_off(self):
        proxy = self.onceward(self.upstream(), health="off", start=False).start(ready=False)

        def answers():
            try:
                return proxy.post(new_key()).status == 201
            except OSError:
                return False

        eventually(answers, "it serves without a health listener")
        self.assertIsNone(proxy.health("/livez"))


class Logs(Case):
    def test_one_access_line_a_request_and_no_secret_in_any(self):
        upstream = self.upstream()
        # One event loop, so that the lines come in the order of the requests.
        proxy = self.onceward(upstream, store="sqlite:" + os.path.join(self.directory, "log.db"), log={"level": "debug"}, threads=1)
        secret = "s3cret" + new_key()
        headers = [("Authorization", "Bearer " + secret), ("Cookie", secret)]
        answers = [proxy.post(secret, headers=headers, body=secret.encode()), proxy.post(secret, headers=headers, body=secret.encode()),
                   proxy.post(secret, headers=headers, body=b"other"), proxy.post('"' + secret, headers=headers),
                   proxy.send("PUT", "/n?token=" + secret, headers, secret.encode())]
        lines = eventually(lambda: len(proxy.access_lines()) == len(answers) and proxy.access_lines(), "five access lines")
        self.assertEqual([(line["method"], line["path"], line["status"]) for line in lines],
                         [("POST", "/api/orders", 201), ("POST", "/api/orders", 201), ("POST", "/api/orders", 422),
                          ("POST", "/api/orders", 400), ("PUT", "/n", 201)])
        self.assertEqual([line["idempotency_status"] for line in lines], ["executed", "replayed", "mismatch", "refused", "passed"])
        self.assertEqual([line.get("route") for line in lines], ["orders"] * 4 + [None])
        self.assertEqual(lines[0]["operation_id"], answers[0].operation_id)
        self.assertEqual(lines[0]["key_hash"], lines[1]["key_hash"])
        with open(proxy.output, encoding="utf-8") as output:
            self.assertNotIn(secret, output.read())
        self.assertNotIn(secret, proxy.log())

    def test_a_key_in_the_path_is_not_logged(self):
        proxy = self.onceward(self.upstream(), routes=[{"name": "put", "path": "/orders/{id}", "key": {"from": ["path:id"]}}])
        proxy.post(target="/orders/S3CRETKEY")
        proxy.post(target="/orders/S3CRETKEY")
        # The route guards none of these, yet the key stands there all the same.
        proxy.send("GET", "/orders/S3CRETKEY")
        self.assertEqual(proxy.post(target="/orders%2fS3CRETKEY").status, 400)
        proxy.post(target="/elsewhere")
        proxy.terminate()
        paths = sorted(line["path"] for line in proxy.access_lines())
        self.assertEqual(paths, ["/elsewhere"] + ["/orders/{id}"] * 4)
        with open(proxy.output, encoding="utf-8") as output:
            self.assertNotIn("S3CRET", output.read() + proxy.log())

    def test_each_line_has_a_trace_id_and_the_bytes_of_own_answers(self):
        proxy = self.onceward(self.upstream())
        key = new_key()
        proxy.post(key)
        proxy.post(key)
        refused = proxy.post(key, body=b"other")
        proxy.terminate()
        lines = proxy.access_lines()
        for line in lines:
            self.assertRegex(line["trace_id"], r"\A[0-9a-f]{32}\Z")
        # Each event loop writes its own lines, so they need not come in the order of the requests.
        self.assertEqual([line["bytes_out"] for line in lines if line["status"] == refused.status], [len(refused.body)])

    def test_the_fields_that_are_documented_are_those_that_are_written(self):
        with open(README, encoding="utf-8") as file:
            table = file.read().partition("| field of an access line |")[2].partition("\n\n")[0]
        documented = set()
        for line in table.splitlines()[2:]:
            documented |= set(re.findall(r"`(\w+)`", line.split("|")[1]))
        proxy = self.onceward(self.upstream(), log={"level": "error"}, threads=1)
        key = new_key()
        proxy.post(key)
        proxy.post(key, body=b"other")
        proxy.send("GET", "/elsewhere")
        client = proxy.client()
        client.send(b"PUT /half HTTP/1.1\r\nHost: e2e.test\r\nContent-Length: 9\r\n\r\nhalf")
        client.reset()
        eventually(lambda: len(proxy.access_lines()) == 4, "the fourth line")
        proxy.terminate()
        lines = proxy.access_lines()
        self.assertEqual(len(lines), 4)
        self.assertEqual(set().union(*lines), documented)
        self.assertEqual(documented - set(lines[2]), {"client_gone", "route", "operation_id", "attempt", "key_hash", "code", "store_ms"})

    def test_a_request_id_and_a_trace_are_taken_passed_on_and_logged(self):
        trace = "4bf92f3577b34da6a3ce929d0e0e4736"
        sent = [("X-Request-Id", "client-1"), ("traceparent", "00-" + trace + "-00f067aa0ba902b7-01")]
        for method, target, headers in (("POST", "/api/orders", [("Idempotency-Key", new_key())]), ("PUT", "/elsewhere", [])):
            with self.subTest(target=target):
                upstream = self.upstream()
                proxy = self.onceward(upstream)
                answer = proxy.send(method, target, sent + headers, b"x")
                proxy.terminate()
                request, line = upstream.requests[0], proxy.access_lines()[0]
                self.assertEqual((request.all("X-Request-Id"), line["request_id"]), (["client-1"], "client-1"))
                self.assertEqual((request.get("traceparent").split("-")[1], line["trace_id"]), (trace, trace))
                self.assertIsNone(answer.get("X-Request-Id"))

    def test_a_request_id_and_a_trace_are_made_where_there_is_none_that_is_one(self):
        for target in ("/api/orders", "/elsewhere"):
            for bad in ([], [("X-Request-Id", "a b"), ("traceparent", "00-1-2-03")], [("X-Request-Id", "a" * 129)],
                        [("X-Request-Id", "a"), ("X-Request-Id", "b")]):
                with self.subTest(target=target, headers=bad):
                    upstream = self.upstream()
                    proxy = self.onceward(upstream)
                    proxy.post(new_key(), target=target, headers=bad)
                    proxy.terminate()
                    request, line = upstream.requests[0], proxy.access_lines()[0]
                    self.assertRegex(line["request_id"], r"\A[0-9a-f]{32}\Z")
                    self.assertRegex(line["trace_id"], r"\A[0-9a-f]{32}\Z")
                    self.assertEqual(request.all("X-Request-Id"), [line["request_id"]])
                    self.assertEqual([value.split("-")[1] for value in request.all("traceparent")], [line["trace_id"]])

    def test_ids_of_a_request_change_no_fingerprint_and_no_replay(self):
        upstream = self.upstream(lambda exchange: exchange.body and exchange.reply(
            201, b"done", [("X-Request-Id", exchange.get("X-Request-Id"))]))
        proxy = self.onceward(upstream)
        key = new_key()
        first = proxy.post(key, headers=[("X-Request-Id", "one")])
        again = proxy.post(key, headers=[("X-Request-Id", "two"), ("traceparent", "00-" + "ab" * 16 + "-" + "cd" * 8 + "-01")])
        proxy.terminate()
        self.assertEqual((again.replayed, again.body, again.all("X-Request-Id")), (True, first.body, ["one"]))
        self.assertEqual({line["request_id"] for line in proxy.access_lines()}, {"one", "two"})

    def test_a_key_that_is_sent_as_an_id_of_the_request_too_is_not_logged(self):
        proxy = self.onceward(self.upstream(), routes=[{"name": "orders", "path": "/api/orders"},
                                                       {"name": "by-id", "path": "/by-id", "key": {"from": ["header:X-Request-Id"]}}])
        key = "ab" * 16
        proxy.post('"%s"' % key, headers=[("X-Request-Id", key), ("traceparent", "00-" + key + "-00f067aa0ba902b7-01")])
        proxy.post(target="/by-id", headers=[("X-Request-Id", key)])
        proxy.send("PUT", "/elsewhere", [("Idempotency-Key", key), ("X-Request-Id", key)], b"x")
        proxy.terminate()
        lines = proxy.access_lines()
        self.assertEqual([line["status"] for line in lines], [201, 201, 201])
        self.assertEqual([line for line in lines if "request_id" in line], [])
        with open(proxy.output, encoding="utf-8") as output:
            self.assertNotIn(key, output.read())

    def test_wherever_the_key_comes_from_an_id_that_tells_it_is_not_logged(self):
        sources = {"path": "path:id", "query": "query:k", "json": "json:/k", "form": "form:k"}
        routes = [{"name": name, "path": "/" + name + ("/{id}" if name == "path" else ""), "key": {"from": [source]}}
                  for name, source in sources.items()]
        proxy = self.onceward(self.upstream(), routes=routes)
        form = ("Content-Type", "application/x-www-form-urlencoded")
        for request_id in ("S3CRETKEY", "req-S3CRETKEY"):
            told = ("X-Request-Id", request_id)
            self.assertEqual(proxy.post(target="/path/S3CRETKEY", headers=[told]).status, 201)
            self.assertEqual(proxy.post(target="/query?k=S3CRETKEY", headers=[told]).status, 201)
            self.assertEqual(proxy.post(target="/json", body=b'{"k":"S3CRETKEY"}', headers=[told]).status, 201)
            self.assertEqual(proxy.post(target="/form", body=b"k=S3CRETKEY", headers=[told, form]).status, 201)
        self.assertEqual(proxy.post(target="/query?k=other-key", headers=[("X-Request-Id", "req-77")]).status, 201)
        proxy.terminate()
        self.assertEqual([line["request_id"] for line in proxy.access_lines() if "request_id" in line], ["req-77"])
        with open(proxy.output, encoding="utf-8") as output:
            self.assertNotIn("S3CRET", output.read() + proxy.log())

    def test_client_bytes_cannot_break_a_line(self):
        proxy = self.onceward(self.upstream())
        for target in ('/a"b', "/a\\n", "/%0d%0a{", "/caf\xe9", "/a\tb"):
            proxy.send("GET", target)
        proxy.send("GET", "/last")
        lines = eventually(lambda: [line for line in proxy.access_lines() if line["path"] == "/last"], "the last access line")
        self.assertEqual(len(lines), 1)

    def test_access_lines_can_be_turned_off(self):
        proxy = self.onceward(self.upstream(), log={"access": False})
        proxy.post(new_key())
        proxy.terminate()
        self.assertEqual(proxy.access_lines(), [])


if __name__ == "__main__":
    main()
