"""The metrics page: names and values by spec section 9, and whether the dashboard and the alert rules ask for what is there."""
import json
import os
import re
import shutil
import subprocess
import unittest

from harness import Background, Case, Client, Gate, by_attempt, created, eventually, for_each_store, gated, main, new_key, status

DEPLOY = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "deploy")
DASHBOARD = os.path.join(DEPLOY, "grafana", "onceward.json")
RULES = os.path.join(DEPLOY, "prometheus", "onceward.rules.yaml")

ROUTES = [{"name": "orders", "path": "/api/orders"},
          {"name": "again", "path": "/api/again", "on_unknown": "reforward"},
          {"name": "optional", "path": "/optional", "key": {"required": False}}]

LABELS = {
    "onceward_requests_total": {"route", "status_class", "idempotency_status"},
    "onceward_executions_total": {"route", "outcome"},
    "onceward_store_seconds_bucket": {"operation", "le"},
    "onceward_upstream_seconds_bucket": {"route", "le"},
    "onceward_in_flight": set(),
    "onceward_fenced_total": set(),
    "onceward_store_failures_total": {"operation"},
    "onceward_unguarded_total": {"route"},
    "onceward_store_data_loss_total": set(),
    "onceward_ready": set(),
    "onceward_build_info": {"version", "store"},
    "process_cpu_seconds_total": set(),
    "process_resident_memory_bytes": set(),
}


def reset(exchange):
    exchange.body
    exchange.reset()


def page(proxy):
    with Client(("127.0.0.1", proxy.health_port)) as client:
        return client.request("GET", "/metrics", [("Connection", "close")]).body.decode()


def drive(case, store):
    """Requests that are counted in every way: a process that has had them."""
    gate = Gate()
    upstream = case.upstream()
    proxy = case.onceward(upstream, routes=ROUTES, store=store)
    key = new_key()
    for body in (b"first", b"first", b"other"):
        proxy.post(key, body=body)
    proxy.post()
    upstream.handler = status(503)
    proxy.post(new_key())
    upstream.handler = reset
    lost = new_key()
    proxy.post(lost)
    proxy.post(lost)
    upstream.handler = gated(gate)
    slow = new_key()
    first = Background(proxy.post, slow)
    upstream.wait_for(slow)
    proxy.post(slow)
    gate.open()
    first.result()
    upstream.handler = by_attempt(reset, created)
    again = new_key()
    proxy.post(again, target="/api/again")
    proxy.post(again, target="/api/again")
    upstream.handler = created
    proxy.post(target="/optional")
    proxy.send("GET", "/elsewhere")
    return proxy


class Numbers(Case):
    @for_each_store
    def test_everything_is_counted_once(self, store):
        metrics = drive(self, store).metrics_at_rest()
        statuses = {name: metrics.sum("onceward_requests_total", idempotency_status=name)
                    for name in ("executed", "replayed", "mismatch", "refused", "failed", "unknown", "processing", "passed",
                                 "unguarded")}
        self.assertEqual(statuses, {"executed": 3, "replayed": 1, "mismatch": 1, "refused": 1, "failed": 1, "unknown": 3,
                                    "processing": 1, "passed": 2, "unguarded": 0})
        self.assertEqual(metrics.sum("onceward_requests_total"), sum(statuses.values()))
        outcomes = {name: metrics.sum("onceward_executions_total", outcome=name) for name in ("completed", "failed", "unknown")}
        self.assertEqual(outcomes, {"completed": 3, "failed": 1, "unknown": 2})
        answered = {name: metrics.sum("onceward_upstream_seconds_count", route=name) for name in ("orders", "again", "optional", "")}
        self.assertEqual(answered, {"orders": 4, "again": 2, "optional": 1, "": 1})
        self.assertEqual(metrics.sum("onceward_store_seconds_count", operation="claim"), 10)
        self.assertEqual(metrics.sum("onceward_store_failures_total"), 0)
        self.assertEqual(metrics.sum("onceward_in_flight"), 0)
        self.assertEqual(metrics.sum("onceward_ready"), 1)
        self.assertEqual(metrics.sum("onceward_build_info"), 1)

    @for_each_store
    def test_records_are_counted_by_state_where_that_is_cheap(self, store):
        proxy = drive(self, store)
        if store.startswith("redis"):
            self.assertEqual(proxy.metrics().sum("onceward_unknown_open"), 1)
            self.assertNotIn("onceward_records", page(proxy))
            return
        self.assertNotIn("onceward_unknown_open", page(proxy))
        expected = {"PROCESSING": 0, "COMPLETED": 3, "FAILED": 1, "UNKNOWN": 1, "EXPIRED": 0}

        def counted():
            metrics = proxy.metrics()
            return {state: metrics.sum("onceward_records", state=state) for state in expected} == expected

        eventually(counted, "the records are counted")

    def test_an_owner_that_died_leaves_an_unknown_record_that_is_counted(self):
        for kind in ("sqlite", "redis"):
            with self.subTest(store=kind):
                url = self.store_url(kind)
                upstream = self.upstream(gated(Gate()))
                proxy = self.onceward(upstream, {"lease": "1s"}, store=url)
                key = new_key()
                client = Background(proxy.post, key)
                upstream.wait_for(key)
                proxy.kill()
                self.assertRaises(Exception, client.result)
                proxy.start()
                if kind == "sqlite":
                    eventually(lambda: proxy.metrics().sum("onceward_records", state="UNKNOWN") == 1, "it is counted unasked")
                for _ in range(2):
                    self.assert_problem(self.eventually_answers(proxy, key, "unknown"), "OUTCOME_UNKNOWN", 409)
                if kind == "redis":
                    self.assertEqual(proxy.metrics().sum("onceward_unknown_open"), 1)

    def test_a_record_that_an_operator_releases_is_open_no_more(self):
        proxy = self.onceward(self.upstream(reset), store=self.redis().url, admin=True)
        proxy.post(new_key())
        self.assertEqual(proxy.metrics().sum("onceward_unknown_open"), 1)
        record = proxy.admin("GET", "/records?state=UNKNOWN").json["records"][0]
        self.assertEqual(proxy.admin("POST", "/records/%s/release?fence=%d" % (record["id"], record["fence"])).status, 200)
        self.assertEqual(proxy.metrics().sum("onceward_unknown_open"), 0)

    def test_a_redis_that_was_restarted_without_its_data_is_one_loss(self):
        redis = self.redis()
        proxy = self.onceward(self.upstream(), store=redis.url)
        eventually(lambda: redis.command("EXISTS", "onceward:epoch"), "the mark is there")
        redis.kill()
        redis.start()
        eventually(lambda: redis.command("EXISTS", "onceward:epoch"), "the mark is there again")
        eventually(lambda: proxy.metrics().sum("onceward_store_data_loss_total"), "the loss is counted")
        self.assertEqual(proxy.metrics().sum("onceward_store_data_loss_total"), 1)
        self.assertEqual(proxy.log().count("the store lost data"), 1)

    def test_not_ready_is_a_number(self):
        redis = self.redis()
        proxy = self.onceward(self.upstream(), store=redis.url)
        self.assertEqual(proxy.metrics().sum("onceward_ready"), 1)
        redis.kill()
        eventually(lambda: proxy.metrics().sum("onceward_ready") == 0, "it says that it is not ready")


class Text(Case):
    @unittest.skipUnless(shutil.which("promtool"), "promtool is not installed (Debian: prometheus)")
    @for_each_store
    def test_promtool_finds_nothing_to_say(self, store):
        done = subprocess.run(["promtool", "check", "metrics"], input=page(drive(self, store)), capture_output=True, text=True,
                              check=False)
        self.assertEqual((done.returncode, done.stdout + done.stderr), (0, ""))

    def test_each_specified_metric_has_its_labels_and_their_values_come_from_the_configuration(self):
        proxy = drive(self, "memory:")
        seen = {}
        for name, labels, _ in proxy.metrics().samples:
            seen.setdefault(name, set()).update(labels)
        for name, labels in LABELS.items():
            self.assertEqual(seen.get(name), labels, name)
        values = {labels["route"] for _, labels, _ in proxy.metrics().samples if "route" in labels}
        self.assertEqual(values, {"orders", "again", "optional", ""})


    def test_the_metrics_that_are_documented_are_those_that_are_shown(self):
        with open(os.path.join(DEPLOY, "prometheus", "README.md"), encoding="utf-8") as file:
            table = file.read().partition("| metric |")[2].partition("\n\n")[0]
        documented = {name for line in table.splitlines()[2:] for name in re.findall(r"`(\w+)[{`]", line.split("|")[1])}
        shown = {name for kind in ("memory", "redis")
                 for name in re.findall(r"^# TYPE (\w+) ", page(drive(self, self.store_url(kind))), re.M)}
        self.assertEqual(shown, documented)


class Exported:
    """Metric → label → values, of scrapes of every store."""

    OF_PROMETHEUS = {"up": {}}
    OF_THE_TARGET = {"job", "instance"}

    def __init__(self, scrapes):
        self.metrics = {name: dict(labels) for name, labels in self.OF_PROMETHEUS.items()}
        for samples in scrapes:
            for name, labels, _ in samples:
                known = self.metrics.setdefault(name, {})
                for label, value in labels.items():
                    known.setdefault(label, set()).add(value)

    def labels_of(self, name):
        return set(self.metrics.get(name, {})) | self.OF_THE_TARGET


GROUPING = re.compile(r"\b(?:by|without|on|ignoring)\s*\(([^)]*)\)")
SELECTOR = re.compile(r"([a-zA-Z_:][\w:]*)\s*(?:\{([^}]*)\})?(?!\s*[\w(])")
MATCHER = re.compile(r'(\w+)\s*(=~|!~|!=|=)\s*"([^"]*)"')
WORDS = {"or", "and", "unless", "bool", "offset"}


def complaints(expression, exported):
    """What an expression asks for that is not exported."""
    grouped = {label.strip() for group in GROUPING.findall(expression) for label in group.split(",")}
    plain = re.sub(r"\[[^\]]*\]", "", GROUPING.sub("", expression))
    offered = set()
    for name, matchers in SELECTOR.findall(plain):
        if name in WORDS:
            continue
        offered |= exported.labels_of(name)
        if name not in exported.metrics:
            yield "no metric %s" % name
            continue
        for label, operator, value in MATCHER.findall(matchers):
            values = exported.metrics[name].get(label, set())
            if label not in exported.labels_of(name):
                yield "%s has no label %s" % (name, label)
            elif operator == "=" and values and value not in values:
                yield "%s has no %s=%s" % (name, label, value)
    for label in grouped - offered:
        yield "grouped by %s, which nothing here has" % label


class Readers(Case):
    """Dashboard and rules, against what the binary exports."""

    def exported(self):
        return Exported([drive(self, self.store_url(kind)).metrics().samples for kind in ("memory", "redis")])

    def assert_known(self, expressions):
        exported = self.exported()
        wrong = ["%s: %s" % (complaint, expression) for expression in expressions
                 for complaint in complaints(expression, exported)]
        self.assertEqual(wrong, [])

    def test_the_dashboard_asks_for_what_is_there(self):
        with open(DASHBOARD, encoding="utf-8") as file:
            dashboard = json.load(file)
        targets = [target for panel in dashboard["panels"] for target in panel.get("targets", [])]
        for target in targets:
            self.assertEqual(target["datasource"], {"type": "prometheus", "uid": "${datasource}"})
            legend = set(re.findall(r"\{\{(\w+)\}\}", target["legendFormat"]))
            grouped = {label.strip() for group in GROUPING.findall(target["expr"]) for label in group.split(",")}
            self.assertLessEqual(legend, grouped, target["expr"])
        variables = dashboard["templating"]["list"]
        self.assertEqual(variables[0]["type"], "datasource")
        asked = [re.fullmatch(r"label_values\((.*), (\w+)\)", variable["definition"]).groups() for variable in variables[1:]]
        expressions = [target["expr"] for target in targets] + ["sum by (%s) (%s)" % (label, metric) for metric, label in asked]
        self.assertGreater(len(expressions), 30)
        used = set(re.findall(r"\$(\w+)", " ".join(expressions))) - {"__rate_interval"}
        self.assertEqual(used, {"job", "instance", "route"})
        self.assert_known(expressions)

    def test_the_alerts_ask_for_what_is_there(self):
        with open(RULES, encoding="utf-8") as file:
            expressions = re.findall(r"^ +expr: (.*)$", file.read(), re.M)
        self.assertGreater(len(expressions), 8)
        self.assert_known(expressions)

    def test_what_is_not_there_would_be_noticed(self):
        exported = Exported([[("onceward_records", {"state": "UNKNOWN"}, 1.0)]])
        for expression, expected in (('sum by (state) (rate(onceward_records{state="UNKNOWN"}[5m])) > 0', []),
                                     ("sum(onceward_recodrs)", ["no metric onceward_recodrs"]),
                                     ('onceward_records{route="a"}', ["onceward_records has no label route"]),
                                     ('onceward_records{state="UNKNWON"}', ["onceward_records has no state=UNKNWON"]),
                                     ("sum by (route) (onceward_records)", ["grouped by route, which nothing here has"])):
            self.assertEqual(list(complaints(expression, exported)), expected)


if __name__ == "__main__":
    main()
