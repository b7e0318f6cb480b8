#include "cli/arguments.hpp"

#include "cli/command_tree.hpp"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include <sstream>

namespace onceward::cli {

namespace {

constexpr int bad_usage = 2;

constexpr const char* examples =
    "Examples:\n"
    "  onceward run -c onceward.yaml            serve\n"
    "  onceward -c onceward.yaml                the same\n"
    "  onceward check -c onceward.yaml          say what is wrong with a file, and where\n"
    "  onceward config -c onceward.yaml         show what a file means, defaults filled in\n"
    "  onceward records list --state unknown    which keys are stuck\n"
    "  onceward records release 9f86d081884c    let one of them execute again\n"
    "\n"
    "Exit codes: 0 fine, 1 failed while running, 2 bad usage or configuration.";

/// CLI11 tells help from errors by the exception; both become text here.
Usage usage_of(const CLI::App& app, const CLI::ParseError& outcome) {
    std::ostringstream out;
    std::ostringstream error;
    const int code = app.exit(outcome, out, error);
    return code == 0 ? Usage{0, out.str()} : Usage{bad_usage, error.str()};
}

bool names_a_record(const Invocation& invocation) {
    return !invocation.records.id.empty() || !invocation.records.keys.empty();
}

bool needs_a_record(Command command) {
    return command == Command::show_record || command == Command::release_record || command == Command::resolve_record;
}

constexpr const char* purpose = "Onceward: makes the write endpoints of an HTTP service idempotent.";

}  // namespace

std::variant<Invocation, Usage> parse_arguments(int argc, const char* const* argv) {
    CLI::App app(purpose, "onceward");
    app.footer(examples);
    app.require_subcommand(0, 1);
    Invocation invocation;
    add_commands(app, invocation);
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& outcome) {
        return usage_of(app, outcome);
    }
    const bool has_command = !app.get_subcommands().empty();
    const bool version = app.count("--version") > 0;
    const auto asked = (has_command ? 1U : 0U) + (version ? 1U : 0U) + (app.count("--config") > 0 ? 1U : 0U);
    if (asked != 1) {
        return Usage{
            bad_usage,
            (asked == 0 ? "A command is missing.\n\n" : "One command at a time; its options stand behind it.\n\n") + app.help()};
    }
    if (version) {
        invocation.command = Command::version;
    }
    if (needs_a_record(invocation.command) && !names_a_record(invocation)) {
        return Usage{bad_usage, "Which record? Expected its id, or --route and --key.\n"};
    }
    return invocation;
}

}  // namespace onceward::cli
