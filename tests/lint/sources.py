"""The files of the repository, and the way a finding is told. What the checks of this folder share."""
import os
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FOLDERS = ("include", "src", "tests", "config", "deploy")


def files(*suffixes, folders=FOLDERS):
    """Paths relative to the root, sorted, of the files that end with one of `suffixes`."""
    found = []
    for folder in folders:
        for directory, names, leaves in os.walk(os.path.join(ROOT, folder)):
            names[:] = [name for name in names if name not in ("__pycache__", "corpus", "crashes")]
            found += [os.path.relpath(os.path.join(directory, leaf), ROOT) for leaf in leaves if leaf.endswith(suffixes)]
    return sorted(found)


def read(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        return file.read()


def lines(path):
    """(number, line) of a file, from 1."""
    return enumerate(read(path).splitlines(), 1)


def finish(findings):
    """Prints `file:line: what` for each finding and ends the program: 1 when there are any."""
    for path, line, what in findings:
        print("%s:%d: %s" % (path, line, what))
    print("%d findings" % len(findings))
    sys.exit(1 if findings else 0)
