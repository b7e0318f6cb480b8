#!/usr/bin/env python3
"""Writes onceward(1): manual.py BINARY TEMPLATE VERSION. The commands are those that the binary's own --help tells."""
import re
import subprocess
import sys

ENTRY = re.compile(r"  (\S.*?)(?:\s{2,}(\S.*))?\Z")


class Help:
    """What `--help` of one command says."""

    def __init__(self, binary, words):
        self.words = words
        text = subprocess.run([binary, *words, "--help"], capture_output=True, text=True, check=True).stdout
        about, self.usage, rest = re.match(r"(.*?)\n*Usage: (.*?)\n(.*)\Z", text, re.S).groups()
        self.about = " ".join(about.split())
        self.sections, self.footer = self._split(rest)
        commands = [name.split()[0] for name, _ in self.sections.get("Subcommands", ())]
        self.commands = [Help(binary, [*words, name]) for name in commands]

    @staticmethod
    def _split(text):
        """Entries of each section of the form `Name:` and indented lines, and what stands below them all."""
        sections, footer, entries = {}, [], None
        for line in text.splitlines():
            heading = re.fullmatch(r"(Positionals|Options|Subcommands|\[Option Group: .*\]):?", line.strip())
            if footer or (line and not line.startswith(" ") and not heading):
                footer.append(line)
            elif heading:
                entries = sections.setdefault(heading.group(1), [])
            elif line.startswith("    ") and entries:
                name, meaning = entries[-1]
                entries[-1] = (name, (meaning + " " + line.strip()).strip())
            elif line.strip():
                entries.append(tuple(part or "" for part in ENTRY.match(line).groups()))
        return sections, footer


def escaped(text):
    text = text.replace("\\", "\\e").replace("-", "\\-").replace("'", "\\(aq")
    return re.sub(r"^\.", "\\\\&.", text, flags=re.M)


def entries(pairs):
    for name, meaning in pairs:
        name = re.sub(r"(?<=\w),(?=-)", ", ", re.sub(r"\s*REQUIRED\b", "", name))
        yield ".TP\n.B %s\n%s\n" % (escaped(name), escaped(meaning))


def of_command(command):
    """The command's own subsection, and those below it."""
    yield ".SS %s\n" % escaped(" ".join(["onceward", *command.words]))
    yield "%s\n.PP\n.nf\n%s\n.fi\n" % (escaped(command.about), escaped(command.usage))
    for name in ("Positionals", "Options"):
        yield from entries(pair for pair in command.sections.get(name, ()) if not pair[0].startswith("-h,"))
    if command.footer:
        yield ".PP\n.nf\n%s\n.fi\n" % escaped("\n".join(command.footer))
    for below in command.commands:
        yield from of_command(below)


def main():
    binary, template, version = sys.argv[1:]
    top = Help(binary, [])
    with open(template, encoding="utf-8") as file:
        text = file.read()
    commands = "".join(part for command in top.commands for part in of_command(command)).rstrip("\n")
    options = "".join(entries(top.sections["Options"])).rstrip("\n")
    sys.stdout.write(text.replace("@VERSION@", version).replace("@OPTIONS@", options).replace("@COMMANDS@", commands))


if __name__ == "__main__":
    main()
