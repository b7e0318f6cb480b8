"""Sends each entry once, with a key that is the same whenever this import is tried again."""
import json
import os
import sys
import time
import urllib.error
import urllib.request

TRIES = 10
ENTRIES = [{"account": 4711, "amount": amount} for amount in (100, 250, 75, 30, 990)]


def send(url, key, entry):
    """None once the entry is made, else how many seconds to wait before the same key is tried again."""
    request = urllib.request.Request(url, json.dumps(entry).encode(), {"Content-Type": "application/json", "Idempotency-Key": key})
    try:
        with urllib.request.urlopen(request, timeout=60) as response:
            print(key, response.status, response.headers["Idempotency-Status"], flush=True)
            return None
    except urllib.error.HTTPError as error:
        problem = json.loads(error.read() or b"{}") if "json" in error.headers.get("Content-Type", "") else {}
        # The service's own 4xx is its last word on this entry; Onceward's answers say themselves what to do.
        if problem.get("retry", "same-key" if error.code >= 500 else "none") != "same-key":
            raise SystemExit("%s: %d %s" % (key, error.code, problem.get("code", error.reason))) from None
        return float(error.headers.get("Retry-After") or 1)
    except OSError:
        return 1.0


for number, each in enumerate(ENTRIES):
    name = "%s-%04d" % (os.environ["IMPORT"], number)
    for _ in range(TRIES):
        pause = send(sys.argv[1], name, each)
        if pause is None:
            break
        time.sleep(pause)
    else:
        raise SystemExit("%s: gave up after %d tries" % (name, TRIES))
