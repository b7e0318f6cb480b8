"""What the trials with podman share: its command, waiting, and a line for each thing that was tried."""
import subprocess
import time

PATIENCE = 60


def podman(*arguments, check=True, timeout=120):
    done = subprocess.run(["podman", *arguments], capture_output=True, text=True, timeout=timeout, check=False)
    if check and done.returncode != 0:
        raise SystemExit("podman %s: %s" % (" ".join(arguments), done.stderr.strip()))
    return done.stdout.strip()


def eventually(probe, what, seconds=PATIENCE, pause=0.05):
    deadline = time.monotonic() + seconds
    while True:
        value = probe()
        if value:
            return value
        if time.monotonic() > deadline:
            raise SystemExit("not in %d s: %s" % (seconds, what))
        time.sleep(pause)


class Trial:
    def __init__(self):
        self.wrong = 0

    def expect(self, what, came, right):
        self.wrong += not right
        print("%-5s %-58s %s" % ("ok" if right else "WRONG", what, came), flush=True)

    def finish(self):
        """The exit code."""
        print("all right" if not self.wrong else "%d wrong" % self.wrong)
        return 1 if self.wrong else 0
