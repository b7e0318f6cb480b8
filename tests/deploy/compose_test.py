#!/usr/bin/env python3
"""The compose file, by docker-compose's own reading of it. Ends with 77, which ctest reads as skipped, where that is missing."""
import os
import re
import shutil
import subprocess
import sys
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
FILE = os.path.join(ROOT, "deploy", "compose.yaml")
BINARY = os.environ.get("ONCEWARD_BINARY", "")
COMMANDS = (["docker-compose"], ["docker", "compose"])


def compose(command, *arguments):
    return subprocess.run([*command, "-f", FILE, *arguments], capture_output=True, text=True, timeout=60, check=False)


def usable():
    """The first command that is there; docker without its plug-in is not."""
    for command in COMMANDS:
        if shutil.which(command[0]) and subprocess.run([*command, "version"], capture_output=True, timeout=60, check=False).returncode == 0:
            return command
    return None


class Compose(unittest.TestCase):
    def test_docker_compose_takes_it(self):
        done = compose(usable(), "config")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        for service in ("onceward:", "orders:", "redis:"):
            self.assertIn("\n  " + service, done.stdout)
        self.assertIn("network_mode: service:onceward", done.stdout)
        self.assertIn("read_only: true", done.stdout)

    def test_it_would_name_an_unknown_key(self):
        with open(FILE, encoding="utf-8") as file:
            text = file.read().replace("read_only:", "readonly:", 1)
        done = subprocess.run([*usable(), "-f", "-", "config"], input=text, capture_output=True, text=True, timeout=60, check=False,
                              cwd=os.path.dirname(FILE))
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("readonly", done.stderr)

    def test_the_image_has_the_version_of_the_project(self):
        with open(os.path.join(ROOT, "CMakeLists.txt"), encoding="utf-8") as file:
            version = re.search(r"project\(onceward VERSION (\S+)", file.read()).group(1)
        with open(FILE, encoding="utf-8") as file:
            self.assertIn("image: onceward:%s\n" % version, file.read())

    @unittest.skipUnless(BINARY, "ONCEWARD_BINARY is not set")
    def test_onceward_takes_the_configuration(self):
        path = os.path.join(ROOT, "deploy", "compose", "onceward.yaml")
        done = subprocess.run([BINARY, "check", "-c", path], capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""))


if __name__ == "__main__":
    if not usable():
        print("skipped: the compose file is not checked without docker-compose")
        sys.exit(77)
    unittest.main(verbosity=2)
