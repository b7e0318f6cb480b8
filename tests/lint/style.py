#!/usr/bin/env python3
"""What a reader should never meet: long files, empty words, banners, names that say nothing, and a few traps of C++."""
import os
import re

from sources import files, finish, lines, read

LINES_MAX = 400

# What it is → (pattern, where it is looked for, files that may).
CODE = (".hpp", ".cpp")
TEXT = CODE + (".py", ".sh", ".md", ".yaml", ".txt")
SELF = ("tests/lint/style.py",)
FORBIDDEN = {
    "a banner line": (re.compile(r"^\s*(//|#)\s*[-=*#/~]{4,}"), TEXT, ()),
    "a numbered step": (re.compile(r"(^|\s)(//|#)\s*Step \d"), TEXT, ()),
    "an empty adjective": (re.compile(r"\b(robust|production-ready|blazing|seamless|cutting-edge|state-of-the-art|comprehensive)\b", re.I),
                           TEXT, ()),
    "unfinished work": (re.compile(r"\b(TODO|FIXME|XXX|HACK)\b"), TEXT, ()),
    "using namespace at file scope": (re.compile(r"^using namespace\b"), CODE, ("tests/",)),
    "std::endl": (re.compile(r"std::endl\b"), CODE, ()),
    "std::regex backtracks; use RE2": (re.compile(r"std::regex\b|#include <regex>"), CODE, ()),
    "a swallowed exception": (re.compile(r"catch \(\.\.\.\) *\{ *\}"), CODE, ()),
    "a lambda handed to spawn loses its captures": (re.compile(r"\bspawn\([^,;]*,\s*\[[^\]]+\]"), CODE, ("tests/",)),
    "a sleeping thread": (re.compile(r"this_thread::sleep|\bu?sleep\("), CODE,
                          ("src/app/", "tests/contract/redis_server")),
    "a second home of a helper of base/": (
        re.compile(r"^\s*(?:static |inline |constexpr )*[\w:<>]+[ &*]+(trim|to_lower|lower_case|iequals|equals_ignore_case|split|to_hex|from_hex)\("),
        CODE, ("include/onceward/base/", "src/base/")),
    "a mutex; what one loop owns needs none": (
        re.compile(r"std::(mutex|shared_mutex|recursive_mutex)\b"), CODE,
        ("src/store/memory/", "src/store/sqlite/", "src/telemetry/", "tests/")),
}
NAMES = re.compile(r"(^|_)(utils?|helpers?|common|misc|manager|handler|processor|service)(_|\.|$)")


def file_findings(path):
    name = os.path.basename(path)
    if NAMES.search(name):
        yield path, 1, "a name that says nothing: %s" % name
    count = read(path).count("\n")
    if count > LINES_MAX:
        yield path, count, "%d lines; over %d a file holds more than one idea" % (count, LINES_MAX)


def word_findings(path):
    rules = [(what, pattern) for what, (pattern, suffixes, allowed) in FORBIDDEN.items()
             if path.endswith(suffixes) and not path.startswith(allowed)]
    for number, line in lines(path):
        for what, pattern in rules:
            if pattern.search(line):
                yield path, number, what


if __name__ == "__main__":
    findings = []
    for path in files(*TEXT):
        if path in SELF:
            continue
        if path.endswith(CODE + (".py",)):
            findings += file_findings(path)
        findings += word_findings(path)
    finish(findings)
