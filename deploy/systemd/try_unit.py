#!/usr/bin/env python3
"""Starts an image that has systemd and Onceward, and tries onceward.service in it.

    try_unit.py IMAGE        deploy/systemd/try_unit.sh builds it and calls this

Exits 0 only if everything was right, and leaves nothing behind.
"""
import argparse
import os
import re
import subprocess
import sys
import time
import uuid

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from trial import Trial, eventually, podman  # noqa: E402

CONFIG = "/etc/onceward/onceward.yaml"
DROP_IN = "/etc/systemd/system/onceward.service.d/trial.conf"
# A service that takes its time: longer than the unit's TimeoutStopSec in this trial.
STOP_SECONDS, ANSWER_SECONDS = 3, 8
SERVICE = r"""
use IO::Socket::INET;
my $listener = IO::Socket::INET->new(LocalAddr => "127.0.0.1", LocalPort => 3000, Listen => 5, ReuseAddr => 1) or die;
while (my $client = $listener->accept) {
    $client->sysread(my $request, 4096);
    open(my $seen, ">", "/run/seen"); close $seen;
    sleep %d;
    print $client "HTTP/1.1 201 Created\r\nContent-Length: 4\r\n\r\nmade";
    close $client;
}
""" % ANSWER_SECONDS
POST = r"""
exec 3<>/dev/tcp/127.0.0.1/80
printf 'POST /api/orders HTTP/1.1\r\nHost: trial\r\nIdempotency-Key: a-1\r\nContent-Length: 0\r\nConnection: close\r\n\r\n' >&3
cat <&3 >/run/answer
"""


class UnitTrial(Trial):
    def __init__(self, image):
        super().__init__()
        self.image = image
        self.name = "onceward-unit-" + uuid.uuid4().hex[:8]

    def inside(self, *command, text=None):
        """Exit code and output of a command in the container."""
        done = subprocess.run(["podman", "exec", "-i", self.name, *command], input=text, capture_output=True, text=True, timeout=180,
                              check=False)
        return done.returncode, (done.stdout + done.stderr).strip()

    def systemctl(self, *words):
        return self.inside("systemctl", "--no-pager", *words)

    def show(self, key):
        return self.systemctl("show", "--value", "-p", key, "onceward")[1]

    def write(self, path, text):
        self.inside("sh", "-c", 'mkdir -p "$(dirname %s)" && cat >%s' % (path, path), text=text)

    def background(self, *command):
        podman("exec", "-d", self.name, *command)

    def run(self):
        # systemd makes namespaces for the unit and filters its calls; nothing else of the machine is its business.
        podman("run", "-d", "--name", self.name, "--systemd=always", "--cap-add", "SYS_ADMIN", "--security-opt", "seccomp=unconfined",
               "--security-opt", "unmask=ALL", self.image, "/lib/systemd/systemd")
        try:
            eventually(lambda: self.systemctl("is-system-running")[1] in ("running", "degraded"), "systemd is up")
        except SystemExit as never:
            print("skipped: the unit is not tried: systemd does not come up in a container here (%s)" % never)
            return 77
        self.expect("not started by its installation", self.show("ActiveState"), self.show("ActiveState") == "inactive")
        self.inside("systemd-sysusers")
        self.start()
        self.lock_down()
        self.reload()
        self.crash()
        self.stop_with_an_execution()
        self.bad_configuration()
        return self.finish()

    def start(self):
        code, said = self.systemctl("start", "onceward")
        self.expect("start", said or code, code == 0)
        self.expect("state and status", (self.show("ActiveState"), self.show("StatusText")),
                    (self.show("ActiveState"), self.show("StatusText")) == ("active", "serving"))
        owner = self.inside("stat", "-c", "%U %a", "/var/lib/onceward")[1]
        self.expect("the folder of the records", owner, owner in ("onceward 750", "onceward 700"))

    def lock_down(self):
        pid = self.show("MainPID")
        status = dict(re.findall(r"^(\w+):\t(\S+)", self.inside("cat", "/proc/%s/status" % pid)[1], re.M))
        locks = {key: status[key] for key in ("Uid", "CapEff", "NoNewPrivs", "Seccomp")}
        self.expect("its account has no rights", locks, locks["Uid"] != "0" and int(locks["CapEff"], 16) == 0 and
                    (locks["NoNewPrivs"], locks["Seccomp"]) == ("1", "2"))
        mounts = dict(re.findall(r"^\S+ \S+ \S+ \S+ (\S+) (\w\w),", self.inside("cat", "/proc/%s/mountinfo" % pid)[1], re.M))
        writable = {place: mounts.get(place) for place in ("/", "/var/lib/onceward", "/run/onceward")}
        self.expect("what it may write", writable, writable == {"/": "ro", "/var/lib/onceward": "rw", "/run/onceward": "rw"})

    def reload(self):
        pid = self.show("MainPID")
        code, said = self.systemctl("reload", "onceward")
        self.expect("reload", said or code, code == 0)
        good = self.inside("cat", CONFIG)[1]
        self.write(CONFIG, good.replace("upstream:", "upstraem:"))
        code, said = self.systemctl("reload", "onceward")
        self.expect("reload of a file with an error fails", code, code != 0)
        self.write(CONFIG, good)
        eventually(lambda: self.show("ActiveState") == "active", "it is active again")
        self.expect("and the process goes on", self.show("MainPID"), self.show("MainPID") == pid)

    def crash(self):
        pid = self.show("MainPID")
        self.systemctl("kill", "-s", "KILL", "onceward")
        eventually(lambda: self.show("ActiveState") == "active" and self.show("MainPID") not in (pid, "0"), "it is started again")
        self.expect("started again after a crash", self.show("NRestarts"), self.show("NRestarts") == "1")

    def stop_with_an_execution(self):
        """On port 80, by the drop-in of deploy/README.md; the stop takes longer than TimeoutStopSec and shorter than shutdown_grace."""
        self.write(DROP_IN, "[Service]\nTimeoutStopSec=%d\nAmbientCapabilities=CAP_NET_BIND_SERVICE\n"
                            "CapabilityBoundingSet=CAP_NET_BIND_SERVICE\n" % STOP_SECONDS)
        text = self.inside("cat", CONFIG)[1].replace("127.0.0.1:8080", "127.0.0.1:80")
        self.write(CONFIG, text + "\nshutdown_grace: 60s\n")
        self.systemctl("daemon-reload")
        code, said = self.systemctl("restart", "onceward")
        self.expect("restart on port 80", said or code, code == 0)
        self.background("perl", "-e", SERVICE)
        self.background("bash", "-c", "until bash -c ': >/dev/tcp/127.0.0.1/3000' 2>/dev/null; do sleep 0.1; done; rm -f /run/seen;" + POST)
        eventually(lambda: self.inside("test", "-e", "/run/seen")[0] == 0 and self.inside("test", "-e", "/run/answer")[0] == 0,
                   "the service has the request")
        begun = time.monotonic()
        code, said = self.systemctl("stop", "onceward")
        took = time.monotonic() - begun
        self.expect("stop waits for the execution (s)", round(took, 1), code == 0 and took > STOP_SECONDS + 1)
        result = (self.show("Result"), self.show("ExecMainStatus"))
        self.expect("how it ended", result, result == ("success", "0"))
        answer = self.inside("cat", "/run/answer")[1]
        self.expect("its client's answer", answer.splitlines()[:1], "201 Created" in answer and answer.endswith("made"))

    def bad_configuration(self):
        self.write(CONFIG, "routes: 3\n")
        code, _ = self.systemctl("start", "onceward")
        result = (self.show("ActiveState"), self.show("ExecMainStatus"), self.show("NRestarts"))
        self.expect("a file with errors ends the start, once", result, code != 0 and result == ("failed", "2", "0"))

    def clean_up(self):
        if self.wrong or sys.exc_info()[0]:
            print(self.inside("journalctl", "-u", "onceward", "--no-pager", "-n", "60")[1], file=sys.stderr)
        podman("stop", "--time", "10", self.name, check=False)
        podman("rm", "--force", self.name, check=False)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("image")
    trial = UnitTrial(parser.parse_args().image)
    try:
        return trial.run()
    finally:
        trial.clean_up()


if __name__ == "__main__":
    sys.exit(main())
