"""A client that goes away, at each point of its request: a guarded execution is never cancelled, half a request is never one."""
from harness import Background, Case, Gate, eventually, gated, for_each_store, main, new_key
from harness.client import encode_request

BODY = b'{"item":"tea"}'


def request(key, body=BODY):
    return encode_request("POST", "/api/orders", [("Idempotency-Key", key)], body)


class HangUp(Case):
    def test_in_the_head_or_in_the_body_nothing_is_executed(self):
        upstream = self.upstream()
        proxy = self.onceward(upstream)
        for reset in (True, False):
            for cut in (10, -len(BODY) - 2, -1):
                key = new_key()
                client = proxy.client()
                client.send(request(key)[:cut])
                client.reset() if reset else client.close()
                eventually(lambda: proxy.metrics().sum("onceward_in_flight") == 0, "the request is over")
                self.assertEqual(upstream.executions(key), 0)
                answer = proxy.post(key)
                self.assertEqual((answer.status, answer.idempotency), (201, "executed"))

    @for_each_store
    def test_while_the_service_works_its_answer_is_recorded(self, store):
        for reset in (True, False):
            gate = Gate()
            upstream = self.upstream(gated(gate))
            proxy = self.onceward(upstream, store=store)
            key = new_key()
            client = proxy.client()
            client.send(request(key))
            upstream.wait_for(key)
            client.reset() if reset else client.close()
            self.assert_problem(proxy.post(key), "PROCESSING", 409)
            gate.open()
            again = self.eventually_answers(proxy, key, "replayed")
            self.assertEqual(again.status, 201)
            self.assertEqual(upstream.executions(key), 1)

    def test_a_client_that_left_before_its_answer_is_told_of_in_the_access_line(self):
        for target, status in (("/api/orders", 201), ("/elsewhere", 201)):
            for leave in ("reset", "close", "half_close"):
                with self.subTest(target=target, leave=leave):
                    gate = Gate()
                    upstream = self.upstream(gated(gate))
                    proxy = self.onceward(upstream)
                    client = proxy.client()
                    client.send(encode_request("POST", target, [("Idempotency-Key", new_key())], BODY))
                    eventually(lambda: upstream.requests, "the service works")
                    getattr(client, leave)()
                    eventually(lambda: proxy.open_clients() == 0, "its end has arrived")
                    gate.open()
                    (line,) = eventually(proxy.access_lines, "the access line")
                    self.assertEqual((line["status"], line.get("client_gone")), (status, True))
                    client.close()

    def test_a_client_that_leaves_with_its_answer_is_not(self):
        for target in ("/api/orders", "/elsewhere"):
            gate = Gate()
            upstream = self.upstream(gated(gate))
            proxy = self.onceward(upstream)
            answer = Background(proxy.post, new_key(), target=target)
            eventually(lambda: upstream.requests, "the service works")
            self.assertEqual(proxy.open_clients(), 1)
            gate.open()
            self.assertEqual(answer.result().status, 201)
            (line,) = eventually(proxy.access_lines, "the access line")
            self.assertNotIn("client_gone", line)

    def test_while_the_answer_is_delivered_the_retry_gets_all_of_it(self):
        large = bytes(range(256)) * 3600
        upstream = self.upstream(lambda exchange: exchange.body and exchange.reply(200, large))
        proxy = self.onceward(upstream)
        key = new_key()
        client = proxy.client()
        client.send(request(key))
        client.read_head()
        client.read_exactly(1000)
        client.reset()
        again = self.eventually_answers(proxy, key, "replayed")
        self.assertEqual(again.body, large)
        self.assertEqual(upstream.executions(key), 1)

    def test_a_waiter_that_leaves_disturbs_nobody(self):
        gate = Gate()
        upstream = self.upstream(gated(gate))
        proxy = self.onceward(upstream, {"wait": "60s"})
        key = new_key()
        first = Background(proxy.post, key)
        upstream.wait_for(key)
        leaver = proxy.client()
        leaver.send(request(key))
        stayer = Background(proxy.post, key)
        eventually(lambda: proxy.metrics().sum("onceward_in_flight") == 3, "both wait")
        leaver.reset()
        gate.open()
        self.assertEqual((first.result().status, stayer.result().replayed), (201, True))
        self.assertEqual(upstream.executions(key), 1)

    def test_a_client_that_only_closes_its_sending_side_gets_its_answer(self):
        upstream = self.upstream()
        proxy = self.onceward(upstream)
        key = new_key()
        with proxy.client() as client:
            client.send(request(key))
            client.half_close()
            self.assertEqual(client.read("POST").status, 201)
            self.assertTrue(client.is_closed())

    def test_an_unguarded_upload_that_stops_is_aborted_upstream(self):
        ends = []

        def handler(exchange):
            try:
                ends.append(len(exchange.body))
            except ConnectionError as error:
                ends.append(error)
                raise

        upstream = self.upstream(handler)
        proxy = self.onceward(upstream)
        client = proxy.client()
        client.send(b"PUT /file HTTP/1.1\r\nHost: e2e.test\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n")
        eventually(lambda: upstream.requests, "the upload has begun")
        client.reset()
        eventually(lambda: ends, "the upload has ended upstream")
        self.assertIsInstance(ends[0], ConnectionError)


if __name__ == "__main__":
    main()
