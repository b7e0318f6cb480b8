"""A replay is the answer that was given: same status, reason, body bytes and end-to-end fields, nothing of another hop or moment."""
from harness import Background, Case, Gate, main, new_key
from harness.client import encode_request


class Replay(Case):
    def first_and_replay(self, handler, route=None, **post):
        upstream = self.upstream(handler)
        proxy = self.onceward(upstream, route)
        key = new_key()
        first, again = proxy.post(key, **post), proxy.post(key, **post)
        self.assertTrue(again.replayed)
        self.assertEqual(upstream.executions(key), 1)
        return first, again

    @staticmethod
    def end_to_end(answer):
        own = ("idempotency-status", "idempotency-replayed", "idempotency-original-date", "idempotency-operation-id", "date",
               "content-length", "transfer-encoding", "connection")
        return [(name, value) for name, value in answer.fields if name.lower() not in own]

    def test_fields_keep_their_order_and_repeats(self):
        fields = [("B-Second", "1"), ("A-First", "x"), ("B-Second", "2"), ("Link", "<a>; rel=b"), ("Obs", "caf\xe9")]
        first, again = self.first_and_replay(lambda exchange: exchange.body and exchange.reply(200, b"ok", fields, reason="Fine Then"))
        self.assertEqual(self.end_to_end(again), self.end_to_end(first))
        self.assertEqual([field for field in self.end_to_end(again) if field in fields], fields)
        self.assertEqual((again.reason, again.body), ("Fine Then", b"ok"))

    def test_the_date_is_fresh_and_the_original_one_is_told(self):
        date = "Mon, 01 Jan 2024 00:00:00 GMT"
        first, again = self.first_and_replay(lambda exchange: exchange.body and exchange.reply(200, b"ok", [("Date", date)]))
        self.assertEqual(first.all("Date"), [date])
        self.assertEqual(again.get("Idempotency-Original-Date"), date)
        self.assertEqual(len(again.all("Date")), 1)
        self.assertNotEqual(again.get("Date"), date)

    def test_the_original_date_is_the_first_answers_own_where_the_service_sent_none(self):
        first, again = self.first_and_replay(lambda exchange: exchange.body and exchange.reply(200, b"ok"))
        self.assertRegex(first.get("Date"), r"\A\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT\Z")
        self.assertEqual(again.get("Idempotency-Original-Date"), first.get("Date"))

    def test_an_answer_to_head_tells_its_length_again(self):
        upstream = self.upstream(lambda exchange: exchange.send(b"HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\n"))
        proxy = self.onceward(upstream, {"methods": ["HEAD"]})
        key = [("Idempotency-Key", new_key())]
        with proxy.client() as client:
            first = client.request("HEAD", "/api/orders", key)
            again = client.request("HEAD", "/api/orders", key)
        self.assertEqual((first.get("Content-Length"), again.get("Content-Length")), ("5000", "5000"))
        self.assertTrue(again.replayed)

    def test_fields_of_the_hop_and_those_not_to_be_recorded_are_left_out(self):
        fields = [("Set-Cookie", "a=b"), ("Keep-Alive", "timeout=5"), ("X-Hop", "1"), ("Connection", "X-Hop"), ("X-Secret", "s")]
        first, again = self.first_and_replay(lambda exchange: exchange.body and exchange.reply(200, b"ok", fields),
                                             {"record_headers_except": ["set-cookie", "X-SECRET"]})
        self.assertEqual((first.get("Set-Cookie"), first.get("X-Secret")), ("a=b", "s"))
        for name in ("Keep-Alive", "X-Hop"):
            self.assertEqual((first.all(name), again.all(name)), ([], []))
        for name in ("Set-Cookie", "X-Secret"):
            self.assertEqual(again.all(name), [])

    def test_bodies_come_back_byte_for_byte_however_they_were_framed(self):
        for size in (0, 1, 65536, 1_000_000):
            body = bytes(n % 251 for n in range(size))
            chunks = b"".join(b"%x\r\n%s\r\n" % (len(body[at:at + 50_000]), body[at:at + 50_000]) for at in range(0, size, 50_000))
            framed = {
                "length": lambda exchange, body=body: exchange.body and exchange.reply(200, body),
                "chunked": lambda exchange, chunks=chunks: exchange.body and exchange.send(
                    b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + chunks + b"0\r\nX-Trailer: no\r\n\r\n"),
            }
            for framing, handler in framed.items():
                with self.subTest(size=size, framing=framing):
                    first, again = self.first_and_replay(handler)
                    self.assertEqual((first.body, again.body), (body, body))
                    self.assertEqual((first.trailers, again.trailers), ([], []))

    def test_conditions_and_ranges_are_not_evaluated_again(self):
        tag = [("ETag", '"v1"')]
        first, again = self.first_and_replay(lambda exchange: exchange.body and exchange.reply(200, b"0123456789", tag),
                                             headers=[("If-None-Match", '"v1"'), ("Range", "bytes=0-1")])
        self.assertEqual((again.status, again.body), (200, b"0123456789"))

    def test_no_content_stays_without_content(self):
        _, again = self.first_and_replay(lambda exchange: exchange.body and exchange.reply(204))
        self.assertEqual((again.status, again.body, again.all("Content-Length")), (204, b"", []))

    def test_pipelined_duplicates_are_answered_in_order(self):
        proxy = self.onceward(self.upstream())
        keys = [new_key(), new_key()]
        with proxy.client() as client:
            client.send(b"".join(encode_request("POST", "/api/orders", [("Idempotency-Key", key)], b"x") for key in keys + keys))
            answers = [client.read("POST") for _ in range(4)]
        self.assertEqual([answer.idempotency for answer in answers], ["executed"] * 2 + ["replayed"] * 2)
        self.assertEqual([answer.body for answer in answers[:2]], [answer.body for answer in answers[2:]])

    def test_many_duplicates_at_once_of_a_large_answer(self):
        large = b"y" * 200_000
        upstream = self.upstream(lambda exchange: exchange.body and exchange.reply(200, large))
        proxy = self.onceward(upstream, {"wait": "30s"})
        key = new_key()
        answers = [Background(proxy.post, key) for _ in range(60)]
        self.assertEqual({answer.result().body for answer in answers}, {large})
        self.assertEqual(upstream.executions(key), 1)

    def test_a_guarded_event_stream_flows_and_is_recorded(self):
        gate = Gate()

        def stream(exchange):
            exchange.body
            exchange.send(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n")
            exchange.send(b"f\r\ndata: first\n\n..\r\n")
            gate.wait()
            exchange.send(b"f\r\ndata: second\n\n.\r\n0\r\n\r\n")

        upstream = self.upstream(stream)
        proxy = self.onceward(upstream)
        key = new_key()
        with proxy.client() as client:
            client.send(encode_request("POST", "/api/orders", [("Idempotency-Key", key)], b"x"))
            head = client.read_head()
            while b"first" not in head.body:
                client.read_chunk(head)
            gate.open()
            while client.read_chunk(head):
                pass
        self.assertEqual(head.body, b"data: first\n\n..data: second\n\n.")
        again = proxy.post(key, body=b"x")
        self.assertEqual((again.body, again.replayed), (head.body, True))


if __name__ == "__main__":
    main()
