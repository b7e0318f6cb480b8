"""Who may ask the admin listener, what it bounds, and what it changes of the process itself."""
import os
import socket
import stat

from harness import Client, eventually, main, new_key, status
from harness.admin import ROUTE, AdminCase


class WhoMay(AdminCase):
    def token(self, text, name="token"):
        path = os.path.join(self.directory, name)
        with open(path, "w", encoding="ascii") as file:
            file.write(text)
        return path

    def with_token(self, path):
        proxy = self.onceward(self.upstream(status(502)), ROUTE, admin=True, start=False)
        proxy.configure(admin={"address": proxy.admin_address, "token_file": path})
        return proxy.start()

    def test_a_token_is_asked_for_and_may_change_while_the_process_runs(self):
        path = self.token("first-token\n")
        proxy = self.with_token(path)
        self.assert_problem_of_admin(proxy.admin("GET", "/records"), 401, "UNAUTHORIZED")
        self.assertEqual(proxy.admin("GET", "/records").get("WWW-Authenticate"), "Bearer")
        self.assert_problem_of_admin(proxy.admin("GET", "/records", headers=[("Authorization", "Bearer second-token")]), 401, "UNAUTHORIZED")
        self.assertEqual(proxy.admin("GET", "/records", headers=[("Authorization", "Bearer first-token")]).status, 200)
        self.token("second-token\n")
        self.assertEqual(proxy.admin("GET", "/records", headers=[("Authorization", "Bearer second-token")]).status, 200)
        self.assert_problem_of_admin(proxy.admin("GET", "/records", headers=[("Authorization", "Bearer first-token")]), 401, "UNAUTHORIZED")

    def test_a_token_file_that_became_a_pipe_holds_nothing_up(self):
        path = self.token("first-token\n")
        proxy = self.with_token(path)
        os.remove(path)
        os.mkfifo(path)
        good = [("Authorization", "Bearer first-token")]
        self.assert_problem_of_admin(proxy.admin("GET", "/records", headers=good), 503, "TOKEN_FILE_UNREADABLE")
        self.assertEqual(proxy.health("/livez"), 200)
        code, _, errors = self.command("check", "-c", proxy.path)
        self.assertEqual(code, 2)
        self.assertIn("admin.token_file", errors)
        os.remove(path)
        self.token("first-token\n")
        self.assertEqual(proxy.admin("GET", "/records", headers=good).status, 200)

    def test_the_command_line_shows_the_token_of_the_configuration_or_another(self):
        proxy = self.with_token(self.token("first-token\n"))
        key = new_key()
        proxy.post(key)
        self.assertEqual(len(self.listed(proxy)), 1)
        code, _, errors = self.command("records", "list", "--admin", proxy.admin_address)
        self.assertEqual(code, 1)
        self.assertIn("--token-file", errors)
        other = self.token("first-token\n", "copy")
        self.assertEqual(self.command("records", "list", "--admin", "http://" + proxy.admin_address, "--token-file", other)[0], 0)
        self.assertEqual(self.records(proxy, "release", "--route", "orders", "--key", key, "--yes")[0], 0)
        line = self.the_audit_line(proxy, "record.release")
        self.assertRegex(line["token"], r"\Asha256:[0-9a-f]{8}\Z")
        self.assertNotIn("first-token", proxy.log())

    def test_another_address_without_a_token_is_refused_at_start(self):
        for address in ("0.0.0.0:9901", "10.77.0.1:9901", "[::]:9901"):
            proxy = self.onceward(self.upstream(), admin=address, start=False)
            code, _, errors = self.command("run", "-c", proxy.path)
            self.assertEqual(code, 2)
            self.assertRegex(errors, "admin: .*token_file")
            proxy.configure(admin={"address": address, "token_file": self.token("a-token\n")})
            self.assertEqual(self.command("check", "-c", proxy.path)[0], 0)
        for text in ("", "# none\n", "two words\n"):
            proxy.configure(admin={"address": address, "token_file": self.token(text)})
            code, _, errors = self.command("check", "-c", proxy.path)
            self.assertEqual(code, 2)
            self.assertIn("admin.token_file", errors)

    def test_what_a_page_of_another_site_makes_a_browser_send_is_refused(self):
        proxy = self.proxy(self.upstream(status(502)))
        proxy.post(new_key())
        record = self.listed(proxy)[0]
        path = "/records/%s/release?fence=%d" % (record["id"], record["fence"])
        for headers in ([("Origin", "http://evil.example")], [("Origin", "null")], [("Sec-Fetch-Site", "cross-site")],
                        [("Host", "evil.example:9901")]):
            self.assert_problem_of_admin(proxy.admin("POST", path, headers=headers), 403, "CROSS_SITE")
            self.assert_problem_of_admin(proxy.admin("GET", "/config", headers=headers), 403, "CROSS_SITE")
        form = [("Content-Type", "application/x-www-form-urlencoded")]
        self.assert_problem_of_admin(proxy.admin("POST", path, headers=form), 415, "UNSUPPORTED_MEDIA_TYPE")
        self.assertEqual(self.listed(proxy)[0]["state"], "UNKNOWN")
        own = [("Origin", "http://localhost:%d" % proxy.admin_port), ("Sec-Fetch-Site", "same-origin")]
        self.assertEqual(proxy.admin("POST", path, headers=own).status, 200)

    def test_a_unix_socket_is_for_its_owner_and_the_log_says_who_came(self):
        path = os.path.join(self.directory, "admin.sock")
        proxy = self.onceward(self.upstream(status(502)), ROUTE, admin="unix:" + path)
        self.assertEqual(stat.S_IMODE(os.stat(path).st_mode), 0o600)
        proxy.post(new_key())
        record = self.listed(proxy)[0]
        self.assertEqual(self.command("records", "release", record["id"], "--admin", "unix:" + path, "--yes")[0], 0)
        self.assertRegex(self.the_audit_line(proxy, "record.release")["peer"], r"\Auid=%d pid=\d+\Z" % os.getuid())

    def test_a_clean_stop_leaves_no_socket_file_of_its_own(self):
        paths = {name: os.path.join(self.directory, name + ".sock") for name in ("admin", "health", "in", "other")}
        proxy = self.onceward(self.upstream(), ROUTE, admin="unix:" + paths["admin"], listen=["unix:" + paths["in"], "unix:" + paths["other"]],
                              start=False)
        proxy.configure(health="unix:" + paths["health"])
        proxy.start(ready=False)
        for path in paths.values():
            eventually(lambda path=path: os.path.exists(path), path + " is there")
        eventually(lambda: self.command("healthcheck", "-c", proxy.path)[0] == 0, "it is ready")
        os.remove(paths["other"])
        with socket.socket(socket.AF_UNIX) as another:
            another.bind(paths["other"])
            self.assertEqual(proxy.terminate()[0], 0)
            self.assertEqual([name for name, path in paths.items() if os.path.exists(path)], ["other"])


class LogLevel(AdminCase):
    def test_it_returns_by_itself_and_each_change_is_written_whatever_the_level(self):
        proxy = self.proxy(self.upstream())
        self.assertEqual(proxy.admin("GET", "/log-level").json, {"level": "info"})
        answer = proxy.admin("PUT", "/log-level?for=1s", {"level": "error"}).json
        self.assertEqual((answer["level"], answer["returns_to"]), ("error", "info"))
        self.assertLessEqual(answer["returns_in_ms"], 1100)
        line = self.the_audit_line(proxy, "log-level")
        self.assertEqual((line["before"], line["after"], line["for_ms"]), ("info", "error", 1000))
        eventually(lambda: proxy.admin("GET", "/log-level").json == {"level": "info"}, "the level returned")
        self.the_audit_line(proxy, "log-level.return")
        proxy.admin("PUT", "/log-level", {"level": "debug"})
        self.assertEqual(proxy.admin("GET", "/log-level").json, {"level": "debug"})
        self.assert_problem_of_admin(proxy.admin("PUT", "/log-level", {"level": "loud"}), 400, "BAD_REQUEST")

    def test_what_is_not_understood_changes_nothing(self):
        proxy = self.proxy(self.upstream())
        for query, content in (("?for=", b'{"level": "debug"}'), ("?for", b'{"level": "debug"}'), ("", b'{"level": "debug", "for": ""}'),
                               ("?for=0s", b'{"level": "debug"}'), ("", b'{"level": "info", "level": "debug"}')):
            with self.subTest(query=query, content=content):
                answer = proxy.admin("PUT", "/log-level" + query, content)
                self.assert_problem_of_admin(answer, 400, "BAD_REQUEST")
                self.assertEqual(proxy.admin("GET", "/log-level").json, {"level": "info"})


class Limits(AdminCase):
    def test_the_admin_listener_is_not_the_clients(self):
        proxy = self.proxy(self.upstream())
        self.assertEqual(proxy.send("GET", "/records").status, 201)
        self.assert_problem_of_admin(proxy.admin("POST", "/api/orders", {}), 404, "NOT_FOUND")

    def test_other_methods_are_405_and_name_those_that_are_allowed(self):
        proxy = self.proxy(self.upstream())
        for method, path, allowed in (("DELETE", "/records", "GET, HEAD"), ("GET", "/reload", "POST"), ("POST", "/log-level", "GET, HEAD, PUT")):
            answer = proxy.admin(method, path)
            self.assert_problem_of_admin(answer, 405, "METHOD_NOT_ALLOWED")
            self.assertEqual(answer.get("Allow"), allowed)

    def test_content_and_connections_are_bounded(self):
        proxy = self.proxy(self.upstream())
        host, port = proxy.admin_address.split(":")
        with Client((host, int(port))) as client:
            client.send(b"PUT /log-level HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 99999999\r\n\r\n")
            self.assert_problem_of_admin(client.read(), 413, "CONTENT_TOO_LARGE")
        idle = [Client((host, int(port))) for _ in range(40)]
        try:
            self.assertEqual(proxy.admin("GET", "/livez").status, 200)
        finally:
            for client in idle:
                client.close()

if __name__ == "__main__":
    main()
