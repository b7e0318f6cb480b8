"""What operators see: numbers that add up, and log lines that carry no secret."""
import os

from harness import Case, by_attempt, created, eventually, main, new_key, status


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
        metrics = proxy.metrics()
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
        proxy.terminate()
        lines = proxy.access_lines()
        self.assertEqual([line["path"] for line in lines], ["/orders/{id}"] * 2)
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
