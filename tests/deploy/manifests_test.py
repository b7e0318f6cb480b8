#!/usr/bin/env python3
"""The Kubernetes manifests, without a cluster: schema and unknown keys, restricted Pod Security, and what Onceward asks of a Pod.

ONCEWARD_BINARY checks the configurations in them. Ends with 77, which ctest reads as skipped, where a tool is missing.
"""
import base64
import copy
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

try:
    import yaml
except ImportError:
    print("skipped: the manifests are not checked without python3-yaml")
    sys.exit(77)

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
KUBERNETES = os.path.join(ROOT, "deploy", "kubernetes")
KUSTOMIZATIONS = (".", "example", "job")
BINARY = os.environ.get("ONCEWARD_BINARY", "")
TOOLS = os.environ.get("MANIFEST_TOOLS", "")
SETTLE_SECONDS = 11  # what a stop may take beside shutdown_grace, see Application::drain


def kustomize(folder):
    done = subprocess.run(["kubectl", "kustomize", os.path.join(KUBERNETES, folder)], capture_output=True, text=True, timeout=60,
                          check=False)
    if done.returncode != 0:
        raise AssertionError(done.stderr)
    return list(yaml.safe_load_all(done.stdout))


def install_tools():
    """The npm packages of package.json, once. An offline machine has none."""
    wanted = os.path.join(HERE, "package.json")
    have = os.path.join(TOOLS, "package.json")
    marker = os.path.join(TOOLS, "node_modules", ".complete")
    if os.path.exists(marker) and open(have, encoding="utf-8").read() == open(wanted, encoding="utf-8").read():
        return
    os.makedirs(TOOLS, exist_ok=True)
    shutil.copy(wanted, have)
    command = ["npm", "install", "--ignore-scripts", "--no-audit", "--no-fund", "--no-package-lock", "--loglevel", "error"]
    done = subprocess.run(command, cwd=TOOLS, capture_output=True, text=True, timeout=240, check=False)
    if done.returncode != 0:
        skip("npm can't install what checks the schema:\n" + done.stderr[-1000:])
    with open(marker, "w", encoding="utf-8"):
        pass


def skip(why):
    print("skipped: the manifests are not checked: " + why)
    sys.exit(77)


def pod_spec(document):
    return document["spec"]["template"]["spec"]


def containers(spec):
    return spec.get("initContainers", []) + spec["containers"]


def sidecar(spec):
    return next(c for c in spec["initContainers"] if c["name"] == "onceward")


def duration(text):
    return float(re.fullmatch(r"(\d+)s", text).group(1))


def schema_findings(entries):
    # Packages are looked for beside the script that asks for them.
    script = shutil.copy(os.path.join(HERE, "manifest_schema.mjs"), TOOLS)
    done = subprocess.run(["node", script], input=json.dumps(entries), text=True,
                          capture_output=True, timeout=120, check=False)
    if done.returncode not in (0, 1):
        raise AssertionError(done.stderr)
    return done.stdout.splitlines()


class Manifests(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.documents = {folder: kustomize(folder) for folder in KUSTOMIZATIONS}

    def all(self, *kinds):
        return [(folder, document) for folder, documents in self.documents.items() for document in documents
                if document["kind"] in kinds]

    def pods(self):
        return [("%s/%s" % (folder, document["kind"]), pod_spec(document))
                for folder, document in self.all("Deployment", "StatefulSet", "Job")]

    def with_sidecar(self):
        found = [(name, spec) for name, spec in self.pods() if spec.get("initContainers")]
        self.assertEqual([name for name, _ in found], ["./Deployment", "example/Deployment", "job/Job"])
        return found

    def test_schema_and_unknown_keys(self):
        entries = [{"source": folder, "object": document} for folder, documents in self.documents.items() for document in documents]
        self.assertGreater(len(entries), 15)
        self.assertEqual(schema_findings(entries), [])

    def test_the_schema_check_finds_what_is_wrong(self):
        good = next(document for _, document in self.all("Deployment"))
        wrong = []
        for change in (lambda spec: sidecar(spec).update(restartpolicy="Always"),
                       lambda spec: sidecar(spec)["readinessProbe"]["httpGet"].update(prot=1),
                       lambda spec: spec.update(terminationGracePeriodSeconds="soon")):
            document = copy.deepcopy(good)
            change(pod_spec(document))
            wrong.append({"source": "changed%d" % len(wrong), "object": document})
        monitor = copy.deepcopy(self.all("PodMonitor")[0][1])
        monitor["spec"]["podMetricsEndpoints"][0]["intervall"] = "15s"
        wrong.append({"source": "changed3", "object": monitor})
        found = "\n".join(schema_findings(wrong))
        for number, word in enumerate(("restartpolicy", "prot", "terminationGracePeriodSeconds", "intervall")):
            self.assertRegex(found, "changed%d.*%s" % (number, word))

    def test_pods_meet_the_restricted_profile(self):
        for name, spec in self.pods():
            for container in containers(spec):
                with self.subTest(pod=name, container=container["name"]):
                    both = {**spec.get("securityContext", {}), **container.get("securityContext", {})}
                    self.assertIs(both.get("runAsNonRoot"), True)
                    self.assertNotEqual(both.get("runAsUser"), 0)
                    self.assertEqual(both["seccompProfile"]["type"], "RuntimeDefault")
                    self.assertIs(both["allowPrivilegeEscalation"], False)
                    self.assertEqual(both["capabilities"], {"drop": ["ALL"]})
            for key in ("hostNetwork", "hostPID", "hostIPC"):
                self.assertNotIn(key, spec)
            for volume in spec.get("volumes", []):
                self.assertLessEqual(volume.keys() - {"name"}, {"configMap", "secret", "emptyDir", "persistentVolumeClaim"})

    def test_the_sidecar_is_native_and_locked(self):
        for name, spec in self.with_sidecar():
            with self.subTest(pod=name):
                container = sidecar(spec)
                self.assertEqual(container["restartPolicy"], "Always")
                security = {**spec.get("securityContext", {}), **container["securityContext"]}
                self.assertEqual((security["runAsUser"], security["readOnlyRootFilesystem"]), (65532, True))
                self.assertIn("memory", container["resources"]["limits"])
                self.assertIn("startupProbe", container)
                self.assertTrue(all("subPath" not in mount for mount in container["volumeMounts"]))

    def test_long_lived_sidecars_have_every_probe(self):
        for name, spec in self.with_sidecar()[:2]:
            probes = {probe: sidecar(spec)[probe]["httpGet"]["path"] for probe in ("startupProbe", "readinessProbe", "livenessProbe")}
            self.assertEqual(probes, {"startupProbe": "/livez", "readinessProbe": "/readyz", "livenessProbe": "/livez"}, name)

    def test_ports_are_numbers(self):
        for name, spec in self.pods():
            for container in containers(spec):
                for probe in ("startupProbe", "readinessProbe", "livenessProbe"):
                    for action in container.get(probe, {}).values():
                        if isinstance(action, dict):
                            self.assertIsInstance(action["port"], int, name)
        for folder, service in self.all("Service"):
            for port in service["spec"]["ports"]:
                self.assertIsInstance(port["targetPort"], int, folder)
        for folder, policy in self.all("NetworkPolicy"):
            for rule in policy["spec"]["ingress"]:
                self.assertTrue(all(isinstance(port["port"], int) for port in rule["ports"]), folder)

    def test_services_and_policies_lead_to_onceward_only(self):
        services = {service["metadata"]["name"]: service for _, service in self.all("Service")}
        for name in ("orders", "payments"):
            self.assertEqual([port["targetPort"] for port in services[name]["spec"]["ports"]], [8080])
        policy = next(policy for _, policy in self.all("NetworkPolicy") if policy["metadata"]["name"] == "orders")
        ports = [port["port"] for rule in policy["spec"]["ingress"] for port in rule["ports"]]
        self.assertEqual(ports, [8080, 9900])

    def test_the_pod_monitor_names_a_port_of_the_sidecar(self):
        monitor = self.all("PodMonitor")[0][1]
        spec = self.with_sidecar()[0][1]
        names = {port["name"]: port["containerPort"] for port in sidecar(spec)["ports"]}
        self.assertEqual([names[endpoint["port"]] for endpoint in monitor["spec"]["podMetricsEndpoints"]], [9900])

    def configurations(self):
        for folder, document in self.all("ConfigMap"):
            yield folder, document["data"]["onceward.yaml"]

    def test_the_grace_of_the_pod_holds_that_of_onceward(self):
        grace = {folder: duration(yaml.safe_load(text).get("shutdown_grace", "25s")) for folder, text in self.configurations()}
        self.assertEqual(set(grace), set(KUSTOMIZATIONS))
        for name, spec in self.with_sidecar():
            stops = [container.get("lifecycle", {}).get("preStop", {}).get("sleep", {}).get("seconds", 0)
                     for container in spec["containers"]]
            needed = max(stops) + grace[name.split("/")[0]] + SETTLE_SECONDS
            self.assertGreaterEqual(spec["terminationGracePeriodSeconds"], needed, name)

    def test_ports_and_mounts_are_those_of_the_configuration(self):
        for folder, text in self.configurations():
            config = yaml.safe_load(text)
            spec = next(spec for name, spec in self.with_sidecar() if name.startswith(folder + "/"))
            self.assertEqual(config["health"].rpartition(":")[2], "9900")
            self.assertEqual(config["listen"].rpartition(":")[2], "8080")
            mounts = {mount["mountPath"] for mount in sidecar(spec)["volumeMounts"]}
            self.assertIn(os.path.dirname(config["store"]["url"][len("file:"):]), mounts)
            self.assertIn("/etc/onceward", mounts)

    @unittest.skipUnless(BINARY, "ONCEWARD_BINARY is not set")
    def test_onceward_takes_the_configurations(self):
        secrets = {folder: base64.b64decode(document["data"]["url"]).decode() if "data" in document else document["stringData"]["url"]
                   for folder, document in self.all("Secret") if document["metadata"]["name"] == "onceward-store"}
        secrets["job"] = secrets["."]
        with tempfile.TemporaryDirectory() as directory:
            for folder, text in self.configurations():
                url, path = os.path.join(directory, "url"), os.path.join(directory, "onceward.yaml")
                for name, content in ((url, secrets[folder]), (path, text.replace("/etc/onceward-store/url", url))):
                    with open(name, "w", encoding="utf-8") as file:
                        file.write(content)
                done = subprocess.run([BINARY, "check", "-c", path], capture_output=True, text=True, timeout=60, check=False)
                self.assertEqual((done.returncode, done.stderr), (0, ""), folder)

    def test_images_have_the_version_of_the_project(self):
        with open(os.path.join(ROOT, "CMakeLists.txt"), encoding="utf-8") as file:
            version = re.search(r"project\(onceward VERSION (\S+)", file.read()).group(1)
        for name, spec in self.with_sidecar():
            self.assertEqual(sidecar(spec)["image"], "onceward:" + version, name)


if __name__ == "__main__":
    for tool in ("kubectl", "node", "npm"):
        if not shutil.which(tool):
            skip(tool + " is not installed")
    if not TOOLS:
        skip("MANIFEST_TOOLS names no directory")
    install_tools()
    unittest.main(verbosity=2)
