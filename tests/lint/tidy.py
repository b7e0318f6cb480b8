#!/usr/bin/env python3
"""Runs clang-tidy 14 over src/, what changed last first, and ends in time.

    tests/lint/tidy.py [--seconds 600] [--jobs N] [FILE...]

A file that was clean is not looked at again while it, the project's headers that it includes, and .clang-tidy stay the same
(build/tidy remembers). What was not reached in the time is counted, and is no finding: without a memory the newest changes are
reached first.
"""
import argparse
import concurrent.futures
import hashlib
import json
import os
import re
import subprocess
import sys
import time

from sources import ROOT, files, read

TIDY = "clang-tidy-14"
BUILD = os.path.join(ROOT, "build", "fuzz")
MEMORY = os.path.join(ROOT, "build", "tidy")
INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.M)


def output_of(*command):
    return subprocess.run(command, cwd=ROOT, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=True).stdout


def configure():
    """A compile database of clang, and the headers that the build makes."""
    output_of("cmake", "--preset", "fuzz")
    output_of("cmake", "--build", "--preset", "fuzz", "--target", "onceward_commit")


def commands():
    """Source file → how it is compiled."""
    with open(os.path.join(BUILD, "compile_commands.json"), encoding="utf-8") as file:
        return {os.path.relpath(entry["file"], ROOT): entry["command"] for entry in json.load(file)}


def by_age(paths):
    """What is not committed yet first, then what was changed last; a header counts for the source of its name."""
    changed = [line[3:] for line in output_of("git", "status", "--porcelain").splitlines()]
    changed += output_of("git", "log", "--format=", "--name-only", "-n", "400").splitlines()
    rank = {}
    for path in changed:
        rank.setdefault(os.path.splitext(path)[0], len(rank))
    return sorted(paths, key=lambda path: (rank.get(os.path.splitext(path)[0], len(rank)), path))


class Contents:
    """What a source is made of, out of the project's own files."""

    def __init__(self):
        self._includes = {}

    def of(self, path):
        """Paths of the source and of all headers of the project that it reaches."""
        reached, waiting = set(), [path]
        while waiting:
            at = waiting.pop()
            if at not in reached:
                reached.add(at)
                waiting += self._direct(at)
        return sorted(reached)

    def _direct(self, path):
        if path not in self._includes:
            named = INCLUDE.findall(read(path))
            places = ("include", "src", os.path.dirname(path))
            found = [[os.path.join(place, name) for place in places if os.path.exists(os.path.join(ROOT, place, name))] for name in named]
            self._includes[path] = [places_of[0] for places_of in found if places_of]
        return self._includes[path]

    def digest(self, path, command):
        digest = hashlib.sha256((read(".clang-tidy") + command).encode())
        for part in self.of(path):
            digest.update((part + "\0" + read(part) + "\0").encode())
        return digest.hexdigest()


def look_at(path, stamp, deadline):
    """`clean`, `not reached`, or what is to be said about the file."""
    if time.monotonic() > deadline:
        return "not reached"
    done = subprocess.run([TIDY, "-p", BUILD, "--quiet", os.path.join(ROOT, path)], stdin=subprocess.DEVNULL, capture_output=True,
                          text=True, check=False)
    if done.returncode != 0:
        return done.stdout + done.stderr
    with open(stamp, "w", encoding="ascii"):
        return "clean"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("files", nargs="*")
    options = parser.parse_args()
    deadline = time.monotonic() + options.seconds
    configure()
    os.makedirs(MEMORY, exist_ok=True)
    database, contents = commands(), Contents()
    wanted = [os.path.relpath(os.path.abspath(path), ROOT) for path in options.files] or files(".cpp", folders=("src",))
    stamps = {path: os.path.join(MEMORY, contents.digest(path, database[path])) for path in by_age(wanted) if path in database}
    known = [path for path, stamp in stamps.items() if os.path.exists(stamp)]
    said = {}
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        waiting = {path: pool.submit(look_at, path, stamp, deadline) for path, stamp in stamps.items() if path not in known}
        for path, result in waiting.items():
            said[path] = result.result()
            if said[path] not in ("clean", "not reached"):
                print("%s:\n%s" % (path, said[path]), flush=True)
    words = list(said.values())
    clean, missed = words.count("clean"), words.count("not reached")
    print("%d clean, %d known to be clean, %d not reached, %d with findings" %
          (clean, len(known), missed, len(words) - clean - missed))
    return 1 if clean + missed < len(words) else 0


if __name__ == "__main__":
    sys.exit(main())
