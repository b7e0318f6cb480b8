#!/usr/bin/env python3
"""The alert rules: promtool takes them, plays alerts.test.yaml, and each alert is told with what to do and is tried in that file."""
import os
import re
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
RULES = os.path.join(HERE, "..", "..", "deploy", "prometheus", "onceward.rules.yaml")
TESTS = os.path.join(HERE, "alerts.test.yaml")
SKIPPED = 77
FEWEST_WORDS = 25  # of a text that tells what to do


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def alerts():
    """Name → its part of the file."""
    parts = re.split(r"^ +- alert: (\w+)$", read(RULES), flags=re.M)
    return dict(zip(parts[1::2], parts[2::2]))


def findings():
    tried = re.findall(r'alertname="(\w+)"', read(TESTS))
    known = alerts()
    if not known:
        yield "no alert was found"
    for name, text in known.items():
        if not re.search(r'^ +summary: "[^"]+"$', text, re.M):
            yield "%s has no summary" % name
        runbook = re.search(r"^ +runbook: >-\n((?: {12}.*\n?)+)", text, re.M)
        if not runbook or len(runbook.group(1).split()) < FEWEST_WORDS:
            yield "%s does not tell what to do" % name
        if name not in tried:
            yield "%s is not tried in alerts.test.yaml" % name


def promtool(*arguments):
    done = subprocess.run(["promtool", *arguments], capture_output=True, text=True, check=False)
    print(done.stdout + done.stderr)
    return done.returncode == 0


def main():
    wrong = list(findings())
    print("\n".join(wrong))
    if wrong:
        return 1
    if not shutil.which("promtool"):
        print("promtool is not installed (Debian: prometheus): the rules were not played")
        return SKIPPED
    return 0 if promtool("check", "rules", RULES) and promtool("test", "rules", TESTS) else 1


if __name__ == "__main__":
    sys.exit(main())
