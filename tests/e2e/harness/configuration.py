"""Changing the configuration file of a running Onceward, in the ways that editors, tools and Kubernetes do."""
import json
import os
import shutil


def text_of(proxy, **changes):
    """The configuration with some keys replaced, which is then the proxy's."""
    proxy.config = {**proxy.config, **changes}
    return json.dumps(proxy.config, indent=1)


def write(path, text):
    """In place, as `cp` does."""
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def replace(path, text):
    """By a file that is renamed over it, as editors do."""
    write(path + ".new", text)
    os.rename(path + ".new", path)


def rewrite(proxy, **changes):
    replace(proxy.path, text_of(proxy, **changes))


class ConfigMap:
    """A directory as the kubelet mounts one: files are links into `..data`, itself a link that an update turns."""

    def __init__(self, directory):
        self.directory = directory
        self._version = 0

    def publish(self, files):
        """Puts a new version in place by one rename, and removes the one before."""
        before = "..version_%d" % self._version
        self._version += 1
        version = "..version_%d" % self._version
        os.makedirs(os.path.join(self.directory, version))
        for name, text in files.items():
            write(os.path.join(self.directory, version, name), text)
        link = os.path.join(self.directory, "..data_tmp")
        os.symlink(version, link)
        os.rename(link, os.path.join(self.directory, "..data"))
        for name in files:
            if not os.path.lexists(os.path.join(self.directory, name)):
                os.symlink(os.path.join("..data", name), os.path.join(self.directory, name))
        shutil.rmtree(os.path.join(self.directory, before), ignore_errors=True)
