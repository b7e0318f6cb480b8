"""The command line and its exit codes: 0 fine, 1 failed while running, 2 bad usage or configuration."""
import json
import os
import re
import subprocess

from harness import BINARY, Case, main, new_key

SMALLEST = "upstream: http://127.0.0.1:3000\nroutes:\n  - path: /api/orders\n"


class Commands(Case):
    def file(self, text, name="onceward.yaml"):
        path = os.path.join(self.directory, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def assert_refused(self, text, *words, environment=None):
        """`check` and `run` refuse it with the same findings, each with its place."""
        path = self.file(text)
        code, _, errors = self.command("check", "-c", path, environment=environment)
        self.assertEqual(code, 2, errors)
        for word in words:
            self.assertRegex(errors, word)
        self.assertEqual(self.command("run", "-c", path, environment=environment)[0], 2)
        return errors

    def test_the_smallest_file_is_fine(self):
        code, _, errors = self.command("check", "-c", self.file(SMALLEST))
        self.assertEqual(code, 0, errors)

    def test_all_mistakes_are_told_at_once_with_their_places(self):
        text = ("upstrem: http://127.0.0.1:3000\n"
                "store: {timeout: -1s}\n"
                "routes:\n"
                "  - path: /api/orders\n"
                "    lease: 15\n"
                "    methods: POST\n")
        errors = self.assert_refused(text, r"onceward\.yaml:1:1: .*upstream", r"onceward\.yaml:2:\d+: .*timeout",
                                     r"onceward\.yaml:5:\d+: .*lease")
        self.assertGreaterEqual(len(re.findall(r"onceward\.yaml:\d+:\d+: ", errors)), 3)

    def test_doubled_keys_second_documents_and_broken_yaml(self):
        self.assert_refused(SMALLEST + "upstream: http://127.0.0.1:3001\n", r"onceward\.yaml:4:1: ")
        self.assert_refused(SMALLEST + "---\n" + SMALLEST, r"onceward\.yaml:\d+:\d+: ")
        self.assert_refused("upstream: [\n", r"onceward\.yaml:\d+:\d+: ")
        self.assert_refused("", r"onceward\.yaml")

    def test_what_is_not_built_yet_is_refused_and_never_ignored(self):
        for text in ("store: {url: 'postgres://localhost/x'}\n", "store: {url: sqlite:a.db, cache: 1MiB}\n",
                     "tokens: {path: /tokens}\n", "ids: {path: /ids}\n"):
            with self.subTest(text):
                self.assert_refused(text + SMALLEST, "not available in this version")
        for text in ("mode: observe", "on_unknown: probe", "kind: message"):
            with self.subTest(text):
                self.assert_refused(SMALLEST + "    %s\n" % text, "not available in this version")

    def test_what_is_off_anyway_is_fine(self):
        code, _, errors = self.command("check", "-c", self.file("shutdown_min: 0s\n" + SMALLEST))
        self.assertEqual(code, 0, errors)

    def test_doubtful_combinations_are_warnings(self):
        code, output, errors = self.command("check", "-c", self.file(SMALLEST + "    retention: 1m\n"))
        self.assertEqual(code, 0, errors)
        self.assertIn("retention", output + errors)

    def test_variables_of_the_environment(self):
        text = SMALLEST.replace("3000", "${ORDERS_PORT}")
        self.assert_refused(text, "ORDERS_PORT")
        self.assertEqual(self.command("check", "-c", self.file(text), environment={"ORDERS_PORT": "3000"})[0], 0)
        self.assertEqual(self.command("check", "-c", self.file(text.replace("PORT}", "PORT:-3000}")))[0], 0)

    def test_config_shows_every_key_and_no_secret_and_loads_again(self):
        path = self.file("store: {url: 'redis://user:s3cret@127.0.0.1:6379/1'}\n" + SMALLEST)
        code, output, errors = self.command("config", "-c", path)
        self.assertEqual(code, 0, errors)
        self.assertNotIn("s3cret", output + errors)
        for key in ("listen", "response_timeout", "retention", "unknown_retention", "shutdown_grace", "max_recorded_body"):
            self.assertIn(key, output)
        self.assertEqual(self.command("check", "-c", self.file(output, "again.yaml"))[0], 0)

    def test_schema_is_json_and_names_the_keys(self):
        code, output, _ = self.command("schema")
        schema = json.loads(output)
        self.assertEqual(code, 0)
        self.assertLessEqual({"upstream", "routes", "store", "listen"}, set(schema["properties"]))

    def test_version_names_itself_and_what_it_is_linked_with(self):
        code, output, _ = self.command("version")
        self.assertEqual(code, 0)
        for word in (r"onceward\s+\d+\.\d+\.\d+", "Boost", "OpenSSL", "hiredis", "SQLite", "memory", "sqlite", "redis"):
            self.assertRegex(output, re.compile(word, re.I))

    def test_help_everywhere(self):
        for command in ("", "run", "check", "config", "schema", "version", "records", "records list", "records show", "records release",
                        "records resolve", "healthcheck", "wait", "id", "id decode", "completion"):
            arguments = [*command.split(), "--help"]
            code, output, _ = self.command(*arguments)
            self.assertEqual((code, "sage" in output), (0, True), arguments)

    def test_text_that_cannot_be_written_is_a_failure(self):
        for arguments in (["--help"], ["records", "list", "--help"], ["version"], ["schema"]):
            with self.subTest(arguments), open("/dev/full", "wb") as full:
                self.assertEqual(subprocess.run([BINARY, *arguments], stdout=full, timeout=30, check=False).returncode, 1)

    def test_bad_usage(self):
        for arguments in ([], ["frobnicate"], ["run"], ["run", "--frobnicate"], ["check", "-c"], ["check", "-c", self.directory + "/none.yaml"]):
            code, _, errors = self.command(*arguments)
            self.assertEqual(code, 2, arguments)
            self.assertTrue(errors, arguments)

    def test_a_store_that_cannot_be_opened(self):
        path = self.file("store: {url: 'sqlite:/nowhere/at/all.db'}\nlisten: 127.0.0.1:1\nhealth: off\n" + SMALLEST)
        self.assertEqual(self.command("run", "-c", path)[0], 1)

    def test_run_is_the_default_command(self):
        proxy = self.onceward(self.upstream(), start=False)
        proxy.start(command=("-c",))
        self.assertEqual(proxy.post(new_key()).status, 201)


if __name__ == "__main__":
    main()
