#!/usr/bin/env python3
"""The JSON Schema, as an editor uses it: it takes every configuration of the repository and marks what is wrong in others."""
import json
import sys

from sources import files, finish, read

try:
    import jsonschema
    import yaml
except ImportError:
    print("no python3-jsonschema and python3-yaml here")
    sys.exit(77)

SCHEMA = "config/onceward.schema.json"
SMALLEST = {"upstream": "http://127.0.0.1:3000", "routes": [{"path": "/api/orders"}]}
WRONG = {
    "an unknown key": {"upstrem": "http://127.0.0.1:3000"},
    "an unknown key of a section": {"limits": {"header_byte": "64KiB"}},
    "an unknown key of a route": {"routes": [{"path": "/a", "retentoin": "1d"}]},
    "a number without a unit": {"routes": [{"path": "/a", "lease": 15}]},
    "a word that is none of the list": {"log": {"level": "loud"}},
    "a list where a mapping belongs": {"store": []},
    "a route without a path": {"routes": [{"name": "orders"}]},
    "no routes": {"routes": None},
}


def errors_of(validator, value):
    return [error.message for error in validator.iter_errors(value)]


def check():
    schema = json.loads(read(SCHEMA))
    validator = jsonschema.validators.validator_for(schema)(schema)
    validator.check_schema(schema)
    for path in files(".yaml", folders=("config", "deploy")):
        text = read(path)
        if path.startswith("config/") or "yaml-language-server" in text.split("\n", 1)[0]:
            for message in errors_of(validator, yaml.safe_load(text)):
                yield path, 1, message
    for what, change in WRONG.items():
        if not errors_of(validator, {**SMALLEST, **change}):
            yield SCHEMA, 1, "takes " + what


if __name__ == "__main__":
    finish(list(check()))
