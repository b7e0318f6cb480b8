#!/usr/bin/env python3
"""Starts the Pods of this folder with podman, sends duplicates through them, and measures Onceward in its container.

    try_pod.py --onceward IMAGE --orders IMAGE --redis IMAGE        deploy/image.sh builds these and calls this

The manifests run as they are but for what podman 4.3 does not know: a native sidecar becomes a plain container, a Secret a
ConfigMap, a claim an emptyDir; probes are left out, and ports, which it would publish on this machine. Exits 0 only if everything
was right, and leaves nothing behind.
"""
import argparse
import contextlib
import copy
import errno
import http.client
import json
import os
import socket
import subprocess
import sys
import tempfile
import time
import uuid

import yaml

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
from trial import PATIENCE, Trial, eventually, podman  # noqa: E402

READY_MS, PSS_KIB, IMAGE_BYTES = 200, 12 * 1024, 30_000_000
STARTS_MAX = 15
ORDERS = "/api/orders"


def manifests(*names):
    for name in names:
        with open(os.path.join(HERE, name), encoding="utf-8") as file:
            yield from yaml.safe_load_all(file)


def find(kind, name, documents):
    return next(d for d in documents if (d["kind"], d["metadata"]["name"]) == (kind, name))


def config_map(name, data):
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": data}


def plain_pod(name, workload, images):
    """The Pod of a Deployment, StatefulSet or Job, in the words that podman knows."""
    spec = copy.deepcopy(workload["spec"]["template"]["spec"])
    spec["containers"] = spec.pop("initContainers", []) + spec["containers"]
    for container in spec["containers"]:
        container["image"] = images[container["image"].partition(":")[0]]
        container["imagePullPolicy"] = "Never"
        for key in ("ports", "restartPolicy", "startupProbe", "readinessProbe", "livenessProbe", "lifecycle"):
            container.pop(key, None)
        # podman takes these from the container only.
        container["securityContext"] = {**spec.get("securityContext", {}), **container.get("securityContext", {})}
    for volume in spec.get("volumes", []):
        if "secret" in volume:
            volume["configMap"] = {"name": volume.pop("secret")["secretName"]}
    claims = workload["spec"].get("volumeClaimTemplates", [])
    spec["volumes"] = spec.get("volumes", []) + [{"name": claim["metadata"]["name"], "emptyDir": {}} for claim in claims]
    spec["restartPolicy"] = "Never"
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "labels": workload["spec"]["template"]["metadata"]["labels"]},
            "spec": spec}


class Pod:
    """A running Pod. Its containers are named POD-CONTAINER."""

    def __init__(self, name, documents, directory):
        self.name = name
        self.file = os.path.join(directory, name + ".yaml")
        with open(self.file, "w", encoding="utf-8") as file:
            yaml.safe_dump_all(documents, file)

    def start(self):
        podman("play", "kube", "--quiet", self.file)
        infra = json.loads(podman("pod", "inspect", self.name))["InfraContainerID"]
        networks = json.loads(podman("inspect", infra))[0]["NetworkSettings"]["Networks"]
        self.address = next(iter(networks.values()))["IPAddress"]
        return self

    def remove(self):
        podman("play", "kube", "--down", self.file, check=False)
        podman("pod", "rm", "--force", "--time", "0", self.name, check=False)

    def container(self, name):
        return "%s-%s" % (self.name, name)

    def inspect(self, name):
        return json.loads(podman("inspect", self.container(name)))[0]

    def pid(self, name):
        return self.inspect(name)["State"]["Pid"]

    def logs(self):
        for container in json.loads(podman("pod", "inspect", self.name))["Containers"]:
            yield container["Name"], podman("logs", "--tail", "30", container["Name"], check=False)


class Answer:
    def __init__(self, response):
        self.status = response.status
        self.body = response.read()
        self.idempotency = response.headers.get("Idempotency-Status")
        self.replayed = response.headers.get("Idempotency-Replayed") == "true"

    def __str__(self):
        return "%d %s" % (self.status, self.idempotency or "-")


def ask(address, port, method, path, key=None, body=None):
    connection = http.client.HTTPConnection(address, port, timeout=30)
    with contextlib.closing(connection):
        connection.request(method, path, body, {"Idempotency-Key": key, "Content-Type": "application/json"} if key else {})
        return Answer(connection.getresponse())


def status(address, port, path):
    try:
        return ask(address, port, "GET", path).status
    except OSError:
        return None


def is_open(address, port):
    try:
        with socket.create_connection((address, port), timeout=2):
            return True
    except OSError:
        return False


class PodTrial(Trial):
    def __init__(self, images, directory):
        super().__init__()
        self.images = images
        self.directory = directory
        self.pods = []

    def pod(self, name, documents):
        pod = Pod("%s-%s" % (name, uuid.uuid4().hex[:8]), documents, self.directory)
        documents[-1]["metadata"]["name"] = pod.name
        with open(pod.file, "w", encoding="utf-8") as file:
            yaml.safe_dump_all(documents, file)
        self.pods.append(pod)
        return pod.start()

    def run(self):
        documents = list(manifests("secret.yaml", "configmap.yaml", "redis.yaml", "deployment.yaml"))
        redis_secret = find("Secret", "redis", documents)
        redis = self.pod("redis", [config_map("redis", redis_secret["stringData"]),
                                   plain_pod("redis", find("StatefulSet", "redis", documents), self.images)])
        eventually(lambda: is_open(redis.address, 6379), "Redis listens")
        url = find("Secret", "onceward-store", documents)["stringData"]["url"].replace("@redis:", "@%s:" % redis.address)
        self.store = config_map("onceward-store", {"url": url})
        deployment, config = find("Deployment", "orders", documents), find("ConfigMap", "onceward", documents)
        replicas = [self.pod("orders", [self.store, config, plain_pod("orders", deployment, self.images)]) for _ in range(2)]
        for replica in replicas:
            eventually(lambda r=replica: status(r.address, 9900, "/readyz") == 200, "Onceward is ready")
            eventually(lambda r=replica: status(r.address, 8080, ORDERS) == 200, "the service answers through it")
        self.duplicates(replicas)
        self.ways_around(replicas[0])
        self.confinement(replicas[0])
        self.numbers(replicas[0])
        self.stop(replicas[1])
        self.job()

    def duplicates(self, replicas):
        key, body = uuid.uuid4().hex, json.dumps({"item": "tea"})
        first = ask(replicas[0].address, 8080, "POST", ORDERS, key, body)
        self.expect("first request: executed", first, (first.status, first.idempotency) == (201, "executed"))
        for name, replica in (("the same replica", replicas[0]), ("the other replica", replicas[1])):
            again = ask(replica.address, 8080, "POST", ORDERS, key, body)
            self.expect("duplicate at %s: the same answer" % name, again, again.replayed and again.body == first.body)
        count = sum(json.loads(ask(r.address, 8080, "GET", ORDERS).body)["count"] for r in replicas)
        self.expect("orders made", count, count == 1)

    def ways_around(self, pod):
        ports = {port: is_open(pod.address, port) for port in (8080, 9900, 3000, 9901)}
        self.expect("ports of the Pod that others reach", [port for port, reached in ports.items() if reached],
                    ports == {8080: True, 9900: True, 3000: False, 9901: False})

    def confinement(self, pod):
        pid = pod.pid("onceward")
        with open("/proc/%d/status" % pid, encoding="ascii") as file:
            fields = dict(line.rstrip("\n").split(":\t", 1) for line in file if ":\t" in line)
        self.expect("uid and gid", (fields["Uid"].split()[0], fields["Gid"].split()[0]),
                    (fields["Uid"], fields["Gid"]) == ("\t".join(["65532"] * 4),) * 2)
        self.expect("capabilities", fields["CapEff"], int(fields["CapEff"], 16) == int(fields["CapBnd"], 16) == 0)
        self.expect("no new privileges, seccomp filter", (fields["NoNewPrivs"], fields["Seccomp"]),
                    (fields["NoNewPrivs"], fields["Seccomp"]) == ("1", "2"))
        root = "/proc/%d/root" % pid
        for place in ("/", "/usr/bin", "/etc/onceward", "/var/lib/onceward"):
            self.expect("read-only: " + place, self.write_error(root + place), self.write_error(root + place) == "EROFS")
        programs = [os.path.join(where, name) for where, _, names in os.walk(root) if not where.startswith((root + "/proc", root + "/sys"))
                    for name in names if os.access(os.path.join(where, name), os.X_OK) and ".so" not in name]
        programs = [program[len(root):] for program in programs]
        self.expect("programs in the image", programs, programs == ["/usr/bin/onceward"])

    @staticmethod
    def write_error(directory):
        path = os.path.join(directory, "written")
        try:
            os.close(os.open(path, os.O_CREAT | os.O_WRONLY))
        except OSError as error:
            return errno.errorcode[error.errno]
        os.unlink(path)
        return "written"

    def numbers(self, pod):
        image = json.loads(podman("image", "inspect", self.images["onceward"]))[0]
        self.expect("size of the image (MB)", round(image["Size"] / 1e6, 1), image["Size"] < IMAGE_BYTES)
        check = image.get("HealthCheck") or image.get("Healthcheck") or {}
        self.expect("HEALTHCHECK without a shell", check.get("Test"), check.get("Test", [])[:3] == ["CMD", "/usr/bin/onceward", "healthcheck"])
        asked = subprocess.run(["podman", "exec", pod.container("onceward"), *check.get("Test", [])[1:]], capture_output=True, text=True,
                               timeout=60, check=False)
        self.expect("that command in the container", asked.stdout.strip() or asked.stderr.strip(), asked.returncode == 0)
        with open("/proc/%d/smaps_rollup" % pod.pid("onceward"), encoding="ascii") as file:
            pss = next(int(line.split()[1]) for line in file if line.startswith("Pss:"))
        self.expect("idle PSS (MiB)", round(pss / 1024, 1), pss < PSS_KIB)
        # The best of some: other work on the machine is not the process's doing.
        ready = self.restart(pod)
        for _ in range(STARTS_MAX - 1):
            if ready < READY_MS:
                break
            ready = min(ready, self.restart(pod))
        self.expect("from exec to ready (ms)", round(ready), ready < READY_MS)

    @staticmethod
    def restart(pod):
        """Milliseconds from the program's first instruction to the first 200 of /readyz."""
        name = pod.container("onceward")
        podman("stop", "--time", "30", name)
        podman("init", name)
        comm = "/proc/%d/comm" % pod.pid("onceward")
        starter = subprocess.Popen(["podman", "start", name], stdout=subprocess.DEVNULL)

        def is_onceward():
            with open(comm, encoding="ascii") as file:
                return file.read().strip() == "onceward"

        eventually(is_onceward, "the container's program runs", pause=0.0005)
        begun = time.monotonic()
        eventually(lambda: status(pod.address, 9900, "/readyz") == 200, "it is ready", pause=0.001)
        took = (time.monotonic() - begun) * 1000
        starter.wait(timeout=PATIENCE)
        return took

    def stop(self, pod):
        podman("stop", "--time", "30", pod.container("onceward"))
        code = pod.inspect("onceward")["State"]["ExitCode"]
        self.expect("exit code after SIGTERM", code, code == 0)

    def job(self):
        """The Job twice, with a ledger inside its Pod. The second run finds every entry made."""
        job = find("Job", "import-entries", list(manifests("job/job.yaml")))
        files = {}
        for name in ("onceward.yaml", "import_entries.py"):
            with open(os.path.join(HERE, "job", name), encoding="utf-8") as file:
                files[name] = file.read()
        files["onceward.yaml"] = files["onceward.yaml"].replace("http://ledger:8080", "http://127.0.0.1:3000")
        files["import_entries.py"] = files["import_entries.py"]
        said = []
        for _ in range(2):
            spec = plain_pod("import", job, self.images)
            spec["spec"]["containers"].insert(0, {"name": "ledger", "image": self.images["orders"], "imagePullPolicy": "Never",
                                                  "args": ["--path", "/entries"]})
            pod = self.pod("import", [self.store, config_map("import-entries", files), spec])
            code = int(podman("wait", pod.container("import-entries")))
            said.append([line.split()[2] for line in podman("logs", pod.container("import-entries")).splitlines()])
            self.expect("the Job's container ends with", code, code == 0)
            self.stop(pod)
        self.expect("its entries, first run", said[0], said[0] == ["executed"] * 5)
        self.expect("its entries, second run", said[1], said[1] == ["replayed"] * 5)

    def clean_up(self):
        for pod in reversed(self.pods):
            if self.wrong or sys.exc_info()[0]:
                for name, text in pod.logs():
                    print("--- %s\n%s" % (name, text[-2000:]), file=sys.stderr)
            pod.remove()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for image in ("onceward", "orders", "redis"):
        parser.add_argument("--" + image, required=True, metavar="IMAGE")
    images = vars(parser.parse_args())
    images["python"] = images["orders"]
    with tempfile.TemporaryDirectory(prefix="onceward-pods-") as directory:
        trial = PodTrial(images, directory)
        try:
            trial.run()
        finally:
            trial.clean_up()
    return trial.finish()


if __name__ == "__main__":
    sys.exit(main())
