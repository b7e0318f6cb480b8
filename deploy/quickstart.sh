#!/usr/bin/env bash
# Builds Onceward, starts a demo order service and Onceward in front of it on SQLite, and prints what to try.
#   deploy/quickstart.sh           stays up until Ctrl-C
#   deploy/quickstart.sh --smoke   tries everything itself; exits 0 only if each answer was right
# For a fresh Debian 12 or 13, as root or with sudo. ONCEWARD_BINARY=PATH skips the build.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

smoke=no
case "${1:-}" in
    "") ;;
    --smoke) smoke=yes ;;
    -h | --help) sed -n '2,5s/^# //p' "$0"; exit 0 ;;
    *) echo "$0: unknown option '$1'; try --help" >&2; exit 2 ;;
esac

pids=()
state=""
stop_all() {
    local pid
    for pid in "${pids[@]}"; do
        kill -TERM "$pid" 2>/dev/null || true
    done
    for pid in "${pids[@]}"; do
        wait "$pid" 2>/dev/null || true
    done
    [ -z "$state" ] || rm -rf "$state"
}
trap stop_all EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# The first argument if nothing listens there, else a port that the system picks.
free_port() {
    python3 - "$1" <<'PY'
import socket, sys
for port in (int(sys.argv[1]), 0):
    with socket.socket() as s:
        s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            s.bind(("127.0.0.1", port))
        except OSError:
            continue
        print(s.getsockname()[1])
        break
PY
}

# Waits until the URL answers 200, while the process lives.
wait_for() {
    local url=$1 pid=$2 log=$3
    for _ in $(seq 300); do
        curl -sf -o /dev/null --max-time 2 "$url" && return 0
        kill -0 "$pid" 2>/dev/null || break
        sleep 0.1
    done
    echo "$url did not come up:" >&2
    tail -n 20 "$log" >&2
    return 1
}

deploy/packages.sh build

binary=${ONCEWARD_BINARY:-build/release/bin/onceward}
if [ -z "${ONCEWARD_BINARY:-}" ]; then
    echo "building (some minutes the first time) ..."
    cmake --preset release -DONCEWARD_TESTS=OFF >/dev/null
    cmake --build --preset release
fi

state=$(mktemp -d)
export ONCEWARD_STATE=$state
DEMO_PORT=$(free_port 3000)
ONCEWARD_PORT=$(free_port 8080)
ONCEWARD_HEALTH_PORT=$(free_port 9900)
ONCEWARD_ADMIN_PORT=$(free_port 9901)
export DEMO_PORT ONCEWARD_PORT ONCEWARD_HEALTH_PORT ONCEWARD_ADMIN_PORT

python3 deploy/demo/orders.py --port "$DEMO_PORT" >"$state/orders.log" 2>&1 </dev/null &
pids+=($!)
wait_for "http://127.0.0.1:$DEMO_PORT/api/orders" "$!" "$state/orders.log"

"$binary" run -c deploy/demo/onceward.yaml >"$state/onceward.log" 2>&1 </dev/null &
pids+=($!)
wait_for "http://127.0.0.1:$ONCEWARD_HEALTH_PORT/readyz" "$!" "$state/onceward.log"

orders=http://127.0.0.1:$ONCEWARD_PORT/api/orders

if [ "$smoke" = yes ]; then
    # Not exec: the trap has to stop the two processes.
    python3 deploy/demo/smoke.py "$orders"
    exit
fi

post="curl -i -X POST $orders"
cat <<HELP

Onceward listens on 127.0.0.1:$ONCEWARD_PORT; the order service behind it on 127.0.0.1:$DEMO_PORT. In another terminal:

# first: creates an order
$post -H 'Idempotency-Key: a-1' -d '{"item":"tea"}'
# duplicate: the same line again gets the same answer (Idempotency-Replayed: true), and no second order
$post -H 'Idempotency-Key: a-1' -d '{"item":"tea"}'
# changed body under the same key: 422 KEY_REUSED
$post -H 'Idempotency-Key: a-1' -d '{"item":"coffee"}'
# concurrent duplicates: five at once, one order, the same answer for all
for i in 1 2 3 4 5; do curl -s -X POST $orders -H 'Idempotency-Key: b-1' -d '{"item":"tea"}' & done; wait
# slow: 504 after 2 s, while the order is still being made; the same line again collects its answer
curl -i -X POST '$orders?delay=4s' -H 'Idempotency-Key: c-1' -d '{"item":"tea"}'
# failing: 503 the first time; the same line again is executed again and succeeds
curl -i -X POST '$orders?fail_once=503' -H 'Idempotency-Key: d-1' -d '{"item":"tea"}'
# lost: the service creates the order and cuts the connection; 502, and the same line again is 409 OUTCOME_UNKNOWN, never a second order
curl -i -X POST '$orders?fail=cut' -H 'Idempotency-Key: e-1' -d '{"item":"tea"}'
# which keys are stuck, and how one is freed once you know that it may execute again
$binary records list --state unknown --admin http://127.0.0.1:$ONCEWARD_ADMIN_PORT
$binary records release --route create-order --key e-1 --admin http://127.0.0.1:$ONCEWARD_ADMIN_PORT
# how many orders there are
curl $orders
# what Onceward counted
curl -s http://127.0.0.1:$ONCEWARD_HEALTH_PORT/metrics | grep onceward_requests_total

Logs and the SQLite file: $state (removed at the end). Ctrl-C stops everything.
HELP
wait -n "${pids[@]}" || true
echo "one of the two processes has ended:" >&2
tail -n 5 "$state/orders.log" "$state/onceward.log" >&2
exit 1
