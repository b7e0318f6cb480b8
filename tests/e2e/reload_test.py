"""A changed configuration is taken while the process runs: at a signal or by itself, as a whole or not at all."""
import json
import os
import signal
import unittest

from harness import Onceward, eventually, main, new_key
from harness.configuration import ConfigMap, replace, rewrite, text_of, write
from harness.deny import can_deny, denying_inotify
from harness.mounts import can_mount, mount, mounting_apart, unmount
from harness.reloading import Reloading

ORDERS = {"name": "orders", "path": "/api/orders"}


class Causes(Reloading):
    """What makes the process read its files again."""

    NEW = [ORDERS, {"name": "refunds", "path": "/api/refunds"}]

    def test_a_file_that_is_renamed_over_the_old_one(self):
        proxy = self.onceward(self.upstream())
        self.assert_unguarded(proxy, "/api/refunds")
        replace(proxy.path, text_of(proxy, routes=self.NEW))
        self.wait_for(proxy, "applied", 1)
        self.assert_guarded(proxy, "/api/refunds")
        eventually(lambda: '"cause":"file"' in proxy.log(), "it is told")

    def test_a_file_that_is_written_in_place(self):
        proxy = self.onceward(self.upstream())
        write(proxy.path, text_of(proxy, routes=self.NEW))
        self.wait_for(proxy, "applied", 1)
        self.assert_guarded(proxy, "/api/refunds")

    def test_a_file_that_is_written_in_steps_is_taken_when_it_is_whole(self):
        proxy = self.onceward(self.upstream())
        text = text_of(proxy, routes=self.NEW)
        with open(proxy.path, "w", encoding="utf-8") as file:
            for part in (text[:40], text[40:200], text[200:]):
                file.write(part)
                file.flush()
                self.assertEqual(self.count(proxy, "rejected"), 0)
        self.wait_for(proxy, "applied", 1)
        self.assertEqual(self.count(proxy, "rejected"), 0)
        self.assert_guarded(proxy, "/api/refunds")

    def test_a_config_map_whose_data_link_turns(self):
        proxy = self.onceward(self.upstream(), start=False)
        mount = os.path.join(self.directory, "mount")
        os.mkdir(mount)
        config_map = ConfigMap(mount)
        config_map.publish({"onceward.yaml": text_of(proxy)})
        proxy.path = os.path.join(mount, "onceward.yaml")
        proxy.start()
        for n in range(1, 4):
            target = "/api/refunds/%d" % n
            self.assert_unguarded(proxy, target)
            config_map.publish({"onceward.yaml": text_of(proxy, routes=[ORDERS, {"name": "r%d" % n, "path": target}])})
            self.wait_for(proxy, "applied", n)
            self.assert_guarded(proxy, target)

    def test_a_link_to_a_file_elsewhere_that_changes(self):
        proxy = self.onceward(self.upstream(), start=False)
        elsewhere = os.path.join(self.directory, "elsewhere")
        os.mkdir(elsewhere)
        target = os.path.join(elsewhere, "real.yaml")
        write(target, text_of(proxy))
        os.remove(proxy.path)
        os.symlink(target, proxy.path)
        proxy.start()
        replace(target, text_of(proxy, routes=self.NEW))
        self.wait_for(proxy, "applied", 1)
        self.assert_guarded(proxy, "/api/refunds")

    def test_a_directory_that_is_moved_away_and_made_again(self):
        proxy = self.onceward(self.upstream(), start=False)
        place = os.path.join(self.directory, "etc", "onceward")
        os.makedirs(place)
        proxy.path = os.path.join(place, "onceward.yaml")
        write(proxy.path, text_of(proxy))
        proxy.start()
        for n, moved in enumerate((place, os.path.dirname(place)), 1):
            target = "/api/refunds/%d" % n
            self.assert_unguarded(proxy, target)
            os.rename(moved, os.path.join(self.directory, "away%d" % n))
            self.wait_for(proxy, "rejected", n)
            self.assertIn("[-]config", self.readiness(proxy))
            os.makedirs(place)
            write(proxy.path, text_of(proxy, routes=[ORDERS, {"name": "r%d" % n, "path": target}]))
            self.wait_for(proxy, "applied", n)
            self.assert_guarded(proxy, target)
        self.change(proxy, routes=self.NEW)  # what is there now is watched like what was there before
        self.assert_guarded(proxy, "/api/refunds")

    def test_a_directory_of_a_secret_that_is_replaced(self):
        places = [os.path.join(self.directory, name) for name in ("secrets", "new", "away")]
        for place, store in zip(places, ("memory:", "sqlite:other.db")):
            os.mkdir(place)
            write(os.path.join(place, "store"), store)
        proxy = self.onceward(self.upstream(), store="file:" + os.path.join(places[0], "store"))
        os.rename(places[0], places[2])
        self.wait_for(proxy, "rejected", 1)
        os.rename(places[1], places[0])
        self.wait_for(proxy, "unchanged", 1)
        self.assertIn("needs a restart: store.url", self.readiness(proxy))

    @unittest.skipUnless(can_mount(), "file systems can't be mounted here")
    def test_a_mount_that_covers_the_directory_and_goes(self):
        proxy = self.onceward(self.upstream(), start=False)
        place = os.path.join(self.directory, "mount")
        os.mkdir(place)
        proxy.path = os.path.join(place, "onceward.yaml")
        write(proxy.path, text_of(proxy))
        with mounting_apart():
            proxy.start()
        self.assert_unguarded(proxy, "/api/refunds")
        other = os.path.join(self.directory, "other")
        os.mkdir(other)
        write(os.path.join(other, "onceward.yaml"), text_of(proxy, routes=self.NEW))
        mount(proxy.pid, "--bind", other, place)
        self.wait_for(proxy, "applied", 1)
        self.assert_guarded(proxy, "/api/refunds")
        unmount(proxy.pid, place)
        self.wait_for(proxy, "applied", 2)
        self.assert_unguarded(proxy, "/api/refunds")

    def test_what_is_not_new_is_not_reloaded(self):
        proxy = self.onceward(self.upstream())
        text = text_of(proxy)
        write(proxy.path, text)
        replace(proxy.path, text)
        os.utime(proxy.path)
        write(os.path.join(self.directory, "another file"), "x")
        self.change(proxy, routes=self.NEW)  # behind the events of those
        self.assertEqual((self.count(proxy, "unchanged"), self.count(proxy, "rejected")), (0, 0))
        self.assertEqual(proxy.log().count("the configuration"), 1)

    def test_another_spelling_of_the_same_configuration_changes_nothing(self):
        proxy = self.onceward(self.upstream())
        write(proxy.path, "# a remark\n" + text_of(proxy))
        self.wait_for(proxy, "unchanged", 1)
        self.assertEqual(self.count(proxy, "applied"), 0)

    def test_sighup_with_nothing_new(self):
        proxy = self.onceward(self.upstream())
        proxy.signal(signal.SIGHUP)
        self.wait_for(proxy, "unchanged", 1)
        eventually(lambda: '"event":"the configuration is unchanged","cause":"SIGHUP"' in proxy.log(), "it is told")

    @unittest.skipUnless(can_deny(), "system calls can't be filtered here")
    def test_without_inotify_a_signal_or_a_slow_look_finds_the_change(self):
        upstream = self.upstream()
        proxy = self.onceward(upstream, start=False)
        with denying_inotify():
            proxy.start()
        eventually(lambda: "files can't be watched" in proxy.log(), "it is told")
        rewrite(proxy, routes=self.NEW)
        proxy.signal(signal.SIGHUP)
        self.wait_for(proxy, "applied", 1)
        self.assert_guarded(proxy, "/api/refunds")
        self.change(proxy, routes=[*self.NEW, {"name": "later", "path": "/api/later"}])
        self.assert_guarded(proxy, "/api/later")
        eventually(lambda: '"cause":"file"' in proxy.log(), "it is told")

    def test_the_admin_listener_says_what_came_of_it(self):
        proxy = self.onceward(self.upstream(), admin=True)
        self.assertEqual(proxy.admin("POST", "/reload").json["result"], "unchanged")
        with open(proxy.path + ".new", "w", encoding="utf-8") as file:
            file.write(text_of(proxy, routes=self.NEW, threads=7))
        os.rename(proxy.path + ".new", proxy.path)
        answers = [proxy.admin("POST", "/reload")]
        # The watch of the file may have been quicker.
        self.wait_for(proxy, "applied", 1)
        answers.append(proxy.admin("POST", "/reload"))
        self.assertEqual([answer.status for answer in answers], [200, 200])
        self.assertEqual(answers[1].json["needs_restart"], ["threads"])
        self.assert_guarded(proxy, "/api/refunds")
        write(proxy.path, text_of(proxy, routes=[{"name": "all", "path": "/**", "lease": "1 parsec"}]))
        answer = proxy.admin("POST", "/reload")
        self.assertEqual((answer.status, answer.json["result"]), (422, "rejected"))
        self.assertIn("routes[0].lease", answer.json["errors"][0])
        self.assertEqual(len(proxy.admin("GET", "/config").body.split(b"api/refunds")), 2)

    def test_a_hundred_signals_at_once(self):
        proxy = self.onceward(self.upstream())
        for _ in range(100):
            proxy.signal(signal.SIGHUP)
        eventually(lambda: self.count(proxy, "unchanged") >= 1, "some are heeded")
        self.change(proxy, routes=self.NEW)
        self.assert_guarded(proxy, "/api/refunds")


class Rejected(Reloading):
    def test_an_invalid_file_keeps_the_old_one_and_every_error_is_told(self):
        proxy = self.onceward(self.upstream())
        good = text_of(proxy)
        self.assertEqual(proxy.metrics().sum("onceward_config_reload_failed"), 0)
        before = proxy.metrics().sum("onceward_config_last_reload_success_timestamp_seconds")
        self.assertGreater(before, 1.7e9)
        replace(proxy.path, json.dumps({**proxy.config, "routes": [{**ORDERS, "lease": "5 parsecs", "wiat": "1s"}], "limits": 7}))
        self.wait_for(proxy, "rejected", 1)
        self.assertEqual(proxy.metrics().sum("onceward_config_reload_failed"), 1)
        for part in ("routes[0].lease", "wiat", "limits", "the old one goes on"):
            eventually(lambda: part in proxy.log(), "it is told")
        self.assertIn("[-]config the latest file is not used", self.readiness(proxy))
        self.assertEqual(proxy.health("/readyz"), 200)
        key = new_key()
        self.assertEqual(proxy.post(key).idempotency, "executed")
        self.assertTrue(proxy.post(key).replayed)
        replace(proxy.path, good)
        self.wait_for(proxy, "unchanged", 1)
        self.assertEqual(proxy.metrics().sum("onceward_config_reload_failed"), 0)
        self.assertIn("[+]config ok", self.readiness(proxy))
        self.assertGreaterEqual(proxy.metrics().sum("onceward_config_last_reload_success_timestamp_seconds"), before)

    def test_no_file_and_no_text_keep_the_old_one(self):
        proxy = self.onceward(self.upstream())
        text = text_of(proxy)
        os.remove(proxy.path)
        self.wait_for(proxy, "rejected", 1)
        write(proxy.path, "")
        self.wait_for(proxy, "rejected", 2)
        self.assertEqual(proxy.post(new_key()).status, 201)
        write(proxy.path, text)
        self.wait_for(proxy, "unchanged", 1)

    def test_a_pipe_in_place_of_the_file_holds_nothing_up(self):
        proxy = self.onceward(self.upstream())
        os.mkfifo(proxy.path + ".pipe")
        os.rename(proxy.path + ".pipe", proxy.path)
        self.wait_for(proxy, "rejected", 1)
        self.assertIn("[-]config", self.readiness(proxy))
        replace(proxy.path, text_of(proxy, routes=[ORDERS, {"name": "refunds", "path": "/api/refunds"}]))
        self.wait_for(proxy, "applied", 1)
        self.assert_guarded(proxy, "/api/refunds")

    def test_a_file_of_any_size_is_read_no_further_than_it_may_be_large(self):
        proxy = self.onceward(self.upstream())
        proxy.post(new_key())
        before = proxy.status_field("VmHWM")
        with open(proxy.path + ".new", "wb") as file:
            file.truncate(1 << 33)
        os.rename(proxy.path + ".new", proxy.path)
        self.wait_for(proxy, "rejected", 1)
        eventually(lambda: "larger than 1048576 bytes" in proxy.log(), "it is told")
        self.assertLess(proxy.status_field("VmHWM") - before, 16 * 1024)

    def test_what_would_change_the_meaning_of_a_remembered_key_is_refused(self):
        proxy = self.onceward(self.upstream(), {"key": {"from": ["header:Idempotency-Key"]}})
        key = new_key()
        proxy.post(key)
        refused = [
            ([{**ORDERS, "scope": ["header:X-Tenant"]}], "routes[orders].scope"),
            ([{**ORDERS, "key": {"from": ["header:X-Key"]}}], "routes[orders].key.from"),
            ([{**ORDERS, "name": "purchases"}], "routes[purchases]: it would take what routes[orders] takes"),
            ([{"name": "all", "path": "/api/**"}, ORDERS], "routes[all]: it would take what routes[orders] takes"),
        ]
        for n, (routes, told) in enumerate(refused, 1):
            rewrite(proxy, routes=routes, limits={"header_count": n})
            self.wait_for(proxy, "rejected", n)
            # The log is written aside, so the number may be there before the line.
            eventually(lambda: told in proxy.log(), told)
            self.assertTrue(proxy.post(key).replayed)
        # Nothing of it was taken, and a restart takes it.
        self.assertEqual(proxy.send("GET", "/n", [("X-%d" % n, "x") for n in range(20)]).status, 201)
        self.assertEqual(proxy.terminate()[0], 0)
        proxy.start()
        self.assert_problem(proxy.send("GET", "/n", [("X-%d" % n, "x") for n in range(20)]), "HEADERS_TOO_LARGE", 431)

    def test_a_restart_takes_it_and_says_what_it_did(self):
        for store in ("sqlite", "redis"):
            with self.subTest(store=store):
                proxy = self.onceward(self.upstream(), {"key": {"from": ["header:Idempotency-Key"]}}, store=self.store_url(store))
                key = new_key()
                proxy.post(key)
                told = "since the last start remembered keys mean something else"

                def restart(wait_for=None, **changes):
                    """The log of the new process."""
                    proxy.terminate()
                    before = len(proxy.log())
                    rewrite(proxy, **changes)
                    proxy.start()
                    if wait_for:
                        eventually(lambda: wait_for in proxy.log()[before:], wait_for)
                    self.assertEqual(proxy.post(new_key(), target="/api/elsewhere").status, 201)
                    return proxy.log()[before:]

                self.assertNotIn(told, restart(routes=[{**ORDERS, "lease": "20s"}]))
                self.assertTrue(proxy.post(key).replayed)
                taken = "routes[purchases]: it would take what routes[orders] takes"
                self.assertIn('"level":"warn","event":"%s","change":"%s' % (told, taken),
                              restart(taken, routes=[{**ORDERS, "name": "purchases"}]))
                self.assertEqual(proxy.post(key).idempotency, "executed")
                # Said once: from here on it is what keys mean.
                self.change(proxy, routes=[{**ORDERS, "name": "purchases"}, {"name": "refunds", "path": "/api/refunds"}])
                restart("routes[refunds]: guards PATCH /api/refunds no longer", routes=[{**ORDERS, "name": "purchases"}])
                self.assertEqual(proxy.log().count(taken), 1)

    def test_a_name_that_changes_in_two_steps_is_a_warning_in_each(self):
        upstream = self.upstream()
        proxy = self.onceward(upstream, admin=True)
        key, other = new_key(), {"name": "other", "path": "/api/other"}
        proxy.post(key)

        def warnings(routes):
            """Before the watch of the file can tell them, the question on the admin listener does."""
            with open(proxy.path, "w", encoding="utf-8") as file:
                file.write(text_of(proxy, routes=routes))
                file.flush()
                return proxy.admin("POST", "/reload").json["warnings"]

        (removed,) = warnings([other])
        self.assertIn("routes[orders]: guards ", removed)
        self.assertIn("keys that are remembered of it protect nothing now", removed)
        (added,) = warnings([other, {**ORDERS, "name": "purchases"}])
        self.assertIn("routes[purchases]: it guards what routes[orders] guarded before", added)
        self.assertIn("does not find the keys that are remembered of routes[orders]", added)
        eventually(lambda: added in proxy.log() and removed in proxy.log(), "both are logged")
        # What the warning says, for the operator's sake: the retry executes again.
        self.assertEqual(proxy.post(key).idempotency, "executed")
        self.assertEqual(upstream.executions(key), 2)

    def test_what_only_a_start_reads_is_named_and_the_rest_is_taken(self):
        proxy = self.onceward(self.upstream())
        other = Onceward({}, self.directory, "ports")
        self.change(proxy, listen="127.0.0.1:%d" % other.port, threads=3, routes=[{**ORDERS, "max_request_body": "10B"}],
                    store={"url": "sqlite:%s/other.db" % self.directory})
        self.assert_problem(proxy.post(new_key(), body=b"x" * 11), "BODY_TOO_LARGE", 413)
        line = next(line for line in proxy.log().splitlines() if "needs a restart" in line)
        self.assertEqual(json.loads(line)["keys"], "listen, threads, store.url")
        self.assertEqual(proxy.metrics().sum("onceward_config_restart_needed"), 1)
        self.assertIn("needs a restart: listen, threads, store.url", self.readiness(proxy))
        self.assertFalse(os.path.exists(os.path.join(self.directory, "other.db")))
        self.change(proxy, listen="127.0.0.1:%d" % proxy.port, threads="auto", store={"url": "memory:"}, routes=[ORDERS])
        self.assertEqual(proxy.metrics().sum("onceward_config_restart_needed"), 0)


if __name__ == "__main__":
    main()
