#!/usr/bin/env python3
"""A small order service that knows nothing of idempotency: every POST it sees creates an order.

    orders.py [--port N]      listens on 127.0.0.1; port 0 takes a free one; the first line of output names it
              [--path PATH]   another path than /api/orders

    POST /api/orders          creates an order: 201 {"id": 1, "order": {...}}
    GET  /api/orders          {"count": 1, "orders": [{"id": 1, "order": {...}}]}

It can misbehave on request, by the query of a POST:

    ?delay=500ms or =2s       answers that much later (the order is created at once)
    ?fail=503                 answers this status and creates nothing
    ?fail=cut                 creates the order and closes the connection without an answer
    ?fail_once=503            like fail, but only on the first attempt that Onceward sends (Idempotency-Attempt: 1)
"""
import argparse
import json
import re
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

DELAY_MAX = 60.0
BODY_MAX = 1 << 20


class Orders:
    """The orders created so far."""

    def __init__(self):
        self._lock = threading.Lock()
        self._orders = []

    def create(self, order):
        with self._lock:
            created = {"id": len(self._orders) + 1, "order": order}
            self._orders.append(created)
            return created

    def all(self):
        with self._lock:
            return list(self._orders)


def seconds(text):
    match = re.fullmatch(r"(\d+(?:\.\d+)?)(ms|s)?", text)
    if not match:
        raise ValueError("a delay is written 500ms or 2s")
    value = float(match.group(1)) / (1000 if match.group(2) == "ms" else 1)
    return min(value, DELAY_MAX)


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    orders = Orders()
    path_of_orders = "/api/orders"

    def do_GET(self):
        if urlsplit(self.path).path != self.path_of_orders:
            return self.answer(404, {"error": "only %s is here" % self.path_of_orders})
        orders = self.orders.all()
        return self.answer(200, {"count": len(orders), "orders": orders})

    def do_POST(self):
        url = urlsplit(self.path)
        if url.path != self.path_of_orders:
            return self.answer(404, {"error": "only %s is here" % self.path_of_orders})
        try:
            order = self.read_json()
            wish = {name: values[-1] for name, values in parse_qs(url.query).items()}
            delay = seconds(wish.get("delay", "0"))
            fail = self.failure(wish)
        except ValueError as problem:
            return self.answer(400, {"error": str(problem)})
        if fail not in (None, "cut"):
            return self.answer(int(fail), {"error": "failing as asked"})
        created = self.orders.create(order)
        if fail == "cut":
            self.close_connection = True
            return None
        time.sleep(delay)
        return self.answer(201, created, {"Location": "%s/%d" % (self.path_of_orders, created["id"])})

    def failure(self, wish):
        """`cut`, a status, or None."""
        fail = wish.get("fail")
        if "fail_once" in wish and self.headers.get("Idempotency-Attempt", "1") == "1":
            fail = wish["fail_once"]
        if fail is not None and not re.fullmatch(r"cut|[45]\d\d", fail):
            raise ValueError("fail takes cut or a status from 400 to 599")
        return fail

    def read_json(self):
        length = int(self.headers.get("Content-Length") or 0)
        if length > BODY_MAX:
            raise ValueError("an order is at most %d bytes" % BODY_MAX)
        body = self.rfile.read(length)
        return json.loads(body) if body else {}

    def answer(self, status, value, headers=None):
        body = json.dumps(value).encode() + b"\n"
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        for name, text in (headers or {}).items():
            self.send_header(name, text)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format, *args):
        print("orders: " + format % args, flush=True)


class Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--port", type=int, default=3000, help="0 takes a free one (default 3000)")
    parser.add_argument("--path", default=Handler.path_of_orders, help="where orders are made (default %(default)s)")
    arguments = parser.parse_args()
    Handler.path_of_orders = arguments.path
    server = Server(("127.0.0.1", arguments.port), Handler)
    print("listening on 127.0.0.1:%d" % server.server_port, flush=True)
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        return 0


if __name__ == "__main__":
    sys.exit(main())
