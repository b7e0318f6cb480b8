#!/usr/bin/env python3
"""Every file that a document links or names by its path must exist."""
import os
import re

from sources import ROOT, files, finish, lines

LINK = re.compile(r"\]\((?!https?:|mailto:|#)([^)#\s]+)")
NAMED = re.compile(r"`([\w./{},-]+/[\w.{},-]+\.(?:cpp|hpp|py|sh|yaml|json|md))`")
HERE = ("README.md", "CHANGELOG.md")


def exists(document, target, roots):
    return any(os.path.exists(os.path.join(ROOT, root, target)) for root in (os.path.dirname(document),) + roots)


def check(document):
    for number, line in lines(document):
        for target in LINK.findall(line):
            if not exists(document, target, ()):
                yield document, number, "links %s, which is not there" % target
        for target in NAMED.findall(line):
            # An absolute path is one of the reader's machine.
            if "{" not in target and not target.startswith("/") and not exists(document, target, ("", "src", "include")):
                yield document, number, "names %s, which is not there" % target


if __name__ == "__main__":
    documents = files(".md") + [name for name in HERE if os.path.exists(os.path.join(ROOT, name))]
    finish([finding for document in documents for finding in check(document)])
