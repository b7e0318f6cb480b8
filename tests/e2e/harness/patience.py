"""Waiting: always for something, always bounded. ONCEWARD_SLOW stretches the bounds on slow machines and under sanitizers."""
import os
import threading
import time

SLOW = float(os.environ.get("ONCEWARD_SLOW", "1"))
SANITIZED = os.environ.get("ONCEWARD_SANITIZED", "") == "1"
PATIENCE = 15.0


def scaled(seconds):
    return seconds * SLOW


def eventually(probe, what, seconds=PATIENCE):
    """The first true value of `probe()`. Fails when there is none in time."""
    deadline = time.monotonic() + scaled(seconds)
    while True:
        value = probe()
        if value:
            return value
        if time.monotonic() > deadline:
            raise AssertionError("not in %.1f s: %s" % (scaled(seconds), what))
        time.sleep(0.01)


class Gate:
    """Holds whoever waits at it until the test opens it."""

    def __init__(self):
        self._open = threading.Event()

    def open(self):
        self._open.set()

    def wait(self):
        self._open.wait(scaled(4 * PATIENCE))


class Background:
    """Calls a function in a thread. `result()` is what it returned, or raises what it raised."""

    def __init__(self, function, *args, **kwargs):
        self._value = None
        self._error = None
        self._thread = threading.Thread(target=self._run, args=(function, args, kwargs), daemon=True)
        self._thread.start()

    def _run(self, function, args, kwargs):
        try:
            self._value = function(*args, **kwargs)
        except BaseException as error:  # handed to the thread that asks for the result
            self._error = error

    def running(self):
        return self._thread.is_alive()

    def result(self, seconds=2 * PATIENCE):
        self._thread.join(scaled(seconds))
        if self._thread.is_alive():
            raise AssertionError("still running after %.1f s" % scaled(seconds))
        if self._error:
            raise self._error
        return self._value
