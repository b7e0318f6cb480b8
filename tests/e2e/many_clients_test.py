"""Many clients, one key, three processes that share one Redis: one execution."""
import threading

from harness import Case, main, new_key, scaled, status
from harness.client import Client, encode_request

CLIENTS = 200
ROUNDS = 50
BODY = b'{"item":"tea"}'


class Volley:
    """Clients that keep their connections and send the same request at the same moment, once a round."""

    def __init__(self, addresses, count):
        self._clients = [Client(addresses[n % len(addresses)]) for n in range(count)]

    def close(self):
        for client in self._clients:
            client.close()

    def fire(self, request):
        """One answer a client. All bytes but the last wait at the processes when the barrier falls."""
        barrier = threading.Barrier(len(self._clients))
        answers = [None] * len(self._clients)

        def run(n, client):
            client.send(request[:-1])
            barrier.wait(scaled(30))
            client.send(request[-1:])
            answers[n] = client.read("POST")

        threads = [threading.Thread(target=run, args=pair, daemon=True) for pair in enumerate(self._clients)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(scaled(60))
        return answers


class ManyClients(Case):
    def setUp(self):
        super().setUp()
        threading.stack_size(256 * 1024)
        self.origin = self.upstream()
        store = self.redis().url
        routes = [{"name": "waiting", "path": "/waiting", "wait": "30s"}, {"name": "busy", "path": "/busy"}]
        self.replicas = [self.onceward(self.origin, routes=routes, store=store) for _ in range(3)]
        self.volley = Volley([replica.address for replica in self.replicas], CLIENTS)
        self.addCleanup(self.volley.close)

    def fire(self, target, key):
        answers = self.volley.fire(encode_request("POST", target, [("Idempotency-Key", key)], BODY))
        self.assertNotIn(None, answers, "a client has no answer")
        return answers

    def test_two_hundred_clients_with_one_key_cause_one_execution(self):
        for round_number in range(ROUNDS):
            waits = round_number % 2 == 0
            key = new_key()
            answers = self.fire("/waiting" if waits else "/busy", key)
            self.assertEqual(self.origin.executions(key), 1, "round %d" % round_number)
            whole = [answer for answer in answers if answer.status == 201]
            self.assertEqual(len({answer.body for answer in whole}), 1)
            self.assertEqual(sum(answer.idempotency == "executed" for answer in whole), 1)
            refused = {(answer.status, answer.code) for answer in answers if answer.status != 201}
            self.assertLessEqual(refused, set() if waits else {(409, "PROCESSING")})

    def test_after_a_failure_the_next_volley_executes_once_more(self):
        for _ in range(5):
            key = new_key()
            self.origin.handler = status(503)
            self.replicas[0].post(key, body=BODY, target="/busy")
            self.origin.handler = status(201)
            self.fire("/busy", key)
            self.assertEqual([request.get("Idempotency-Attempt") for request in self.origin.of_key(key)], ["1", "2"])


if __name__ == "__main__":
    main()
