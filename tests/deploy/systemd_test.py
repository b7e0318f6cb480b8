#!/usr/bin/env python3
"""The unit for systemd, without systemd running: known keys, the lock-down's score, and that it fits Onceward.

Ends with 77, which ctest reads as skipped, where systemd-analyze is missing.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
SYSTEMD = os.path.join(ROOT, "deploy", "systemd")
BINARY = os.environ.get("ONCEWARD_BINARY", "")
EXPOSURE_MAX = "35"  # tenths


def read(name):
    with open(os.path.join(SYSTEMD, name), encoding="utf-8") as file:
        return file.read()


class Unit(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory(prefix="onceward-unit-")
        self.addCleanup(holder.cleanup)
        self.unit = os.path.join(holder.name, "onceward.service")
        self.text = read("onceward.service")
        with open(self.unit, "w", encoding="utf-8") as file:
            # `verify` looks for the programs.
            file.write(self.text.replace("/usr/bin/onceward", BINARY))

    @staticmethod
    def analyze(*arguments):
        done = subprocess.run(["systemd-analyze", "--no-pager", *arguments], capture_output=True, text=True, timeout=60, check=False)
        return done.returncode, done.stdout + done.stderr

    def values(self, key):
        return re.findall("^%s=(.*)$" % key, self.text, re.M)

    def test_systemd_has_nothing_to_say(self):
        self.assertEqual(self.analyze("verify", "--man=no", self.unit), (0, ""))

    def test_systemd_would_name_an_unknown_key(self):
        with open(self.unit, "a", encoding="utf-8") as file:
            file.write("[Service]\nProtectSystems=strict\n")
        self.assertIn("ProtectSystems", self.analyze("verify", "--man=no", self.unit)[1])

    def test_exposure(self):
        code, said = self.analyze("security", "--offline=true", "--threshold=" + EXPOSURE_MAX, self.unit)
        self.assertEqual(code, 0, said)
        self.assertRegex(said, "Overall exposure level for onceward.service: [0-3]")

    def test_it_says_what_onceward_relies_on(self):
        self.assertEqual(self.values("Type"), ["notify"])
        self.assertEqual(self.values("StateDirectory"), ["onceward"])
        self.assertEqual(self.values("RestartPreventExitStatus"), ["2"])
        self.assertIn("/bin/sh -c \"kill -HUP $MAINPID\"", self.values("ExecReload"))  # a program kill is in a package of its own
        # The clock of the SQLite store reads /proc/sys/kernel/random/boot_id.
        self.assertEqual(self.values("ProcSubset"), [])
        families = self.values("RestrictAddressFamilies")[0].split()
        self.assertEqual(families, ["AF_INET", "AF_INET6", "AF_UNIX"])

    def test_the_account_is_the_units(self):
        account = re.search(r"^u (\S+) ", read("onceward.sysusers"), re.M).group(1)
        self.assertEqual((self.values("User"), self.values("Group")), ([account], [account]))

    def test_onceward_takes_the_configuration(self):
        path = os.path.join(SYSTEMD, "onceward.yaml")
        done = subprocess.run([BINARY, "check", "-c", path], capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("sqlite:/var/lib/onceward/", read("onceward.yaml"))
        self.assertIn("/etc/onceward/onceward.yaml", self.values("ExecStart")[0])


if __name__ == "__main__":
    if not shutil.which("systemd-analyze"):
        print("skipped: the unit is not checked without systemd-analyze")
        sys.exit(77)
    if not BINARY:
        sys.exit("ONCEWARD_BINARY names the binary; ctest sets it")
    unittest.main(verbosity=2)
