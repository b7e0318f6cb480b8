#!/usr/bin/env python3
"""Who may include whom. A folder may include itself and what its row names; a library's headers have the places that FENCES names.

src/README.md shows the same table to people.
"""
import os
import re

from sources import files, finish, lines

# `options` is onceward/config/options.hpp, the plain values; `config` is the loader behind it.
# `store` is the port and what decorates it; the concrete stores have rows of their own.
LAYERS = {
    "base": "",
    "crypto": "base options",
    "id": "base crypto store telemetry net",
    "http": "base options",
    "options": "",
    "version": "",
    "guard": "base http options",
    "route": "base http options guard",
    "request": "base http options guard crypto route",
    "reply": "base http options guard crypto request",
    "config": "base http options guard route request crypto",
    "telemetry": "base options guard",
    "net": "base http options crypto telemetry",
    "store": "base guard options telemetry",
    "store/memory": "base guard crypto id options telemetry store net",
    "store/sqlite": "base guard crypto id options telemetry store net",
    "store/redis": "base guard crypto id options telemetry store net",
    "upstream": "base http options guard telemetry net",
    "health": "base http options telemetry net",
    "admin": "base http options guard crypto request reply config telemetry net store health",
    "proxy": "base http options guard route request reply telemetry net store upstream crypto id",
    "app": "*",
    "cli": "*",
    "main": "*",
}

PURE = ("base", "http", "crypto", "config", "guard", "route", "request", "reply", "options")

# Library → (what its includes begin with, where they may stand: folders, or files without suffix).
FENCES = {
    "hiredis": (("hiredis/",), ("src/store/redis/resp",)),
    "SQLite": (("sqlite3.h",), ("src/store/sqlite/database", "src/store/sqlite/statement")),
    "yaml-cpp": (("yaml-cpp/",), ("src/config/yaml_document",)),
    "spdlog": (("spdlog/",), ("src/telemetry/logger",)),
    "OpenSSL": (("openssl/",), ("src/crypto/", "src/id/")),
    "Beast": (("boost/beast/",), ("src/net/", "src/http/message_parser")),
    "Asio": (("boost/asio/",), ("src/net/", "src/store/", "src/upstream/", "src/proxy/", "src/app/",
                                "src/id/worker_lease", "src/http/message_parser")),
    "system calls": (("unistd.h", "fcntl.h", "poll.h", "sys/", "netinet/", "arpa/", "netdb.h"),
                     ("src/base/", "src/crypto/", "src/net/", "src/id/", "src/store/", "src/telemetry/", "src/upstream/",
                      "src/app/", "src/cli/")),
}
# The version command names every library, so it is outside the fences.
ANYWHERE = ("src/cli/version", "tests/")
UMBRELLAS = ("boost/asio.hpp", "boost/beast.hpp", "boost/beast/http.hpp", "boost/beast/core.hpp")

INCLUDE = re.compile(r'\s*#\s*include\s*(?:"([^"]+)"|<([^>]+)>)')


def layer_of(path):
    """The row of a file, or of the file that an include names."""
    path = re.sub(r"^(include/onceward|src|onceward)/", "", path)
    if path in ("config/options.hpp", "version.hpp"):
        return path.split("/")[-1][:-4]
    parts = path.split("/")
    if parts[0] == "main.cpp":
        return "main"
    concrete = re.fullmatch(r"store/(?:(\w+)/.*|(\w+)_store\.hpp)", path)
    if concrete:
        return "store/" + (concrete.group(1) or concrete.group(2))
    return parts[0] if len(parts) > 1 else None


def may_include(layer, other):
    allowed = LAYERS[layer].split()
    return layer == other or allowed == ["*"] or other in allowed


def library_finding(path, header):
    if header in UMBRELLAS:
        return "<%s> pulls in everything; include the narrow headers" % header
    stem = os.path.splitext(path)[0]
    for library, (prefixes, places) in FENCES.items():
        if not header.startswith(prefixes) or path.startswith(ANYWHERE):
            continue
        if not any(stem == place or (place.endswith("/") and path.startswith(place)) for place in places):
            return "%s (<%s>) belongs in %s" % (library, header, ", ".join(places))
    return None


def own_finding(path, header):
    layer = layer_of(path)
    if layer not in LAYERS:
        return "folder %s has no row in the table of layers" % layer
    other = layer_of(header) if "/" in header else layer
    if other not in LAYERS:
        return "\"%s\" is in no folder of the table of layers" % header
    if not may_include(layer, other):
        return "%s may not include %s (\"%s\")" % (layer, other, header)
    return None


def check(path):
    for number, line in lines(path):
        match = INCLUDE.match(line)
        if not match:
            continue
        own, library = match.groups()
        if library:
            what = library_finding(path, library)
        else:
            what = None if path.startswith("tests/") else own_finding(path, own)
        if what:
            yield path, number, what


if __name__ == "__main__":
    finish([finding for path in files(".hpp", ".cpp") for finding in check(path)])
