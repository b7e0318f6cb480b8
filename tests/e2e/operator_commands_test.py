"""The commands for who runs Onceward: they reach a process or say what to configure, and complete in a shell."""
import json
import os
import socket
import subprocess
import time

from harness import BINARY, eventually, main, new_key
from harness.admin import AdminCase


class RunningProcess(AdminCase):
    def test_a_listener_that_is_not_there_says_what_to_configure(self):
        proxy = self.onceward(self.upstream(), start=False, admin="off")
        code, _, errors = self.records(proxy, "list")
        self.assertEqual(code, 2)
        self.assertIn("admin: 127.0.0.1:9901", errors)
        proxy.configure(admin=proxy.admin_address)
        code, _, errors = self.records(proxy, "list")
        self.assertEqual(code, 1)
        self.assertIn("admin", errors)
        self.assertIn(proxy.admin_address, errors)
        self.assertEqual(self.command("records", "list", "-c", self.directory + "/none.yaml")[0], 2)

    def test_a_listener_that_does_not_answer_is_waited_for_no_longer_than_told(self):
        with socket.create_server(("127.0.0.1", 0)) as silent:
            begun = time.monotonic()
            code, output, errors = self.command("records", "list", "--admin", "http://127.0.0.1:%d" % silent.getsockname()[1],
                                                "--timeout", "300ms")
        self.assertEqual((code, output), (1, ""))
        self.assertIn("no answer in time", errors)
        self.assertLess(time.monotonic() - begun, 20)
        self.assertEqual(self.command("records", "list", "--timeout", "0s")[0], 2)

    def test_healthcheck_and_wait(self):
        proxy = self.proxy(self.upstream(), start=False)
        health = "http://127.0.0.1:%d" % proxy.health_port
        self.assertEqual(self.command("healthcheck", "-c", proxy.path)[0], 1)
        self.assertEqual(self.command("wait", "--health", health, "--timeout", "200ms")[0], 1)
        waiting = subprocess.Popen([BINARY, "wait", "-c", proxy.path, "--timeout", "30s"], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        proxy.start()
        output, errors = waiting.communicate(timeout=30)
        self.assertEqual((waiting.returncode, output), (0, b"ready\n"), errors)
        self.assertEqual(self.command("healthcheck", "--health", health), (0, "ready\n", ""))
        self.assertEqual(self.command("healthcheck", "-c", proxy.path)[0], 0)

    def test_a_process_that_is_not_ready_fails_the_healthcheck(self):
        proxy = self.onceward(self.upstream(), store="redis://127.0.0.1:1", start=False)
        proxy.start(ready=False)
        eventually(lambda: proxy.health("/livez") == 200, "it lives")
        code, _, errors = self.command("healthcheck", "-c", proxy.path)
        self.assertEqual(code, 1)
        self.assertIn("503", errors)

    def test_an_operation_id_is_taken_apart(self):
        proxy = self.proxy(self.upstream())
        answer = proxy.post(new_key())
        code, output, errors = self.command("id", "decode", "--json", answer.operation_id)
        self.assertEqual(code, 0, errors)
        parts = json.loads(output)
        self.assertEqual(parts["id"], answer.operation_id)
        self.assertTrue(0 <= parts["worker"] < 1024 and 0 <= parts["sequence"] < 4096)
        self.assertEqual(self.command("id", "decode", "282914710896644096")[1].split()[::2], ["time", "worker", "sequence"])

    def test_completion_scripts_are_scripts(self):
        for shell in ("bash", "zsh", "fish"):
            code, script, errors = self.command("completion", shell)
            self.assertEqual(code, 0, errors)
            self.assertIn("resolve", script)
        script = self.command("completion", "bash")[1]
        path = os.path.join(self.directory, "completion.bash")
        with open(path, "w", encoding="ascii") as file:
            file.write(script)
        self.assertEqual(subprocess.run(["bash", "-n", path], check=False).returncode, 0)
        for words, expected in (("onceward records ", ["list", "show", "release", "resolve"]), ("onceward records list --state unk", ["unknown"]),
                                ("onceward comp", ["completion"]), ("onceward completion z", ["zsh"]), ("onceward wait --time", ["--timeout"])):
            line = words.split(" ")
            probe = ('source "$0"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _onceward; printf "%s\\n" "${COMPREPLY[@]}"')
            done = subprocess.run(["bash", "-c", probe, path, *line], capture_output=True, text=True, check=True)
            for word in expected:
                self.assertIn(word, done.stdout.split(), words)

if __name__ == "__main__":
    main()
