#!/usr/bin/env python3
"""Tries what deploy/quickstart.sh prints, shows what came back, and exits 0 only if each answer was right.

    smoke.py http://127.0.0.1:8080/api/orders
"""
import json
import sys
import threading
import urllib.error
import urllib.request

TIMEOUT = 30
CONCURRENT = 8


class Answer:
    def __init__(self, status, headers, body):
        self.status = status
        self.body = body
        self.idempotency = headers.get("Idempotency-Status", "")
        self.replayed = headers.get("Idempotency-Replayed", "") == "true"
        self.operation = headers.get("Idempotency-Operation-Id", "")
        problem = json.loads(body) if body and status >= 400 else {}
        self.code = problem.get("code", "")

    def __str__(self):
        words = [str(self.status), self.idempotency or "-"]
        words += [self.code] if self.code else []
        return " ".join(words)


class Smoke:
    def __init__(self, url):
        self.url = url
        self.wrong = 0

    def post(self, key, item, query=""):
        headers = {"Content-Type": "application/json"}
        if key:
            headers["Idempotency-Key"] = key
        body = json.dumps({"item": item}).encode()
        return self.send(urllib.request.Request(self.url + query, data=body, headers=headers, method="POST"))

    def count(self):
        return json.loads(self.send(urllib.request.Request(self.url)).body)["count"]

    @staticmethod
    def send(request):
        try:
            with urllib.request.urlopen(request, timeout=TIMEOUT) as response:
                return Answer(response.status, response.headers, response.read())
        except urllib.error.HTTPError as error:
            return Answer(error.code, error.headers, error.read())

    def expect(self, what, came, right):
        self.wrong += not right
        print("%-5s %-46s %s" % ("ok" if right else "WRONG", what, came), flush=True)

    def first_and_duplicates(self):
        first = self.post("a-1", "tea")
        self.expect("first: creates an order", first, first.status == 201 and first.idempotency == "executed")
        again = self.post("a-1", "tea")
        self.expect("duplicate: the same answer again", again,
                    again.status == 201 and again.replayed and again.body == first.body)
        changed = self.post("a-1", "coffee")
        self.expect("changed body: refused", changed, (changed.status, changed.code) == (422, "KEY_REUSED"))
        keyless = self.post(None, "tea")
        self.expect("no key: refused", keyless, (keyless.status, keyless.code) == (400, "KEY_MISSING"))
        self.expect("orders so far: 1", self.count(), self.count() == 1)

    def concurrent(self):
        answers = []
        start = threading.Barrier(CONCURRENT)

        def client():
            start.wait(TIMEOUT)
            answers.append(self.post("b-1", "tea", "?delay=300ms"))

        threads = [threading.Thread(target=client) for _ in range(CONCURRENT)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        same = len(answers) == CONCURRENT and len({answer.body for answer in answers}) == 1
        executed = sum(answer.idempotency == "executed" for answer in answers)
        self.expect("%d at once: one executes, all get its answer" % CONCURRENT,
                    ", ".join(sorted({str(answer) for answer in answers})),
                    same and executed == 1 and all(answer.status == 201 for answer in answers))
        self.expect("orders so far: 2", self.count(), self.count() == 2)

    def slow(self):
        late = self.post("c-1", "tea", "?delay=4s")
        self.expect("slow: told to come back", late, (late.status, late.code) == (504, "UPSTREAM_TIMEOUT"))
        collected = self.post("c-1", "tea", "?delay=4s")
        self.expect("slow, again: collects the answer", collected, collected.status == 201 and collected.replayed)
        self.expect("orders so far: 3", self.count(), self.count() == 3)

    def failing(self):
        failed = self.post("d-1", "tea", "?fail_once=503")
        self.expect("failing: the failure is passed on", failed, failed.status == 503 and failed.idempotency == "failed")
        retried = self.post("d-1", "tea", "?fail_once=503")
        self.expect("failing, again: executed again", retried,
                    retried.status == 201 and retried.idempotency == "executed" and retried.operation == failed.operation)
        self.expect("orders so far: 4", self.count(), self.count() == 4)
        lost = self.post("e-1", "tea", "?fail=cut")
        self.expect("connection cut: nobody knows", lost, (lost.status, lost.code) == (502, "UPSTREAM_LOST"))
        held = self.post("e-1", "tea", "?fail=cut")
        self.expect("connection cut, again: not executed twice", held, (held.status, held.code) == (409, "OUTCOME_UNKNOWN"))
        self.expect("orders so far: 5", self.count(), self.count() == 5)


def main():
    smoke = Smoke(sys.argv[1])
    smoke.first_and_duplicates()
    smoke.concurrent()
    smoke.slow()
    smoke.failing()
    print("all right" if not smoke.wrong else "%d wrong" % smoke.wrong)
    return 1 if smoke.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
