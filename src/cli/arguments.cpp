#include "cli/arguments.hpp"

#include "cli/command_tree.hpp"
#include "cli/output.hpp"
#include "onceward/base/ascii.hpp"
#include "onceward/base/joined.hpp"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include <algorithm>
#include <sstream>
#include <utility>

namespace onceward::cli {

namespace {

constexpr const char* file_option = "--config";
constexpr std::size_t id_digits_min = 4;
constexpr std::size_t id_digits_max = 64;

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

std::vector<std::string> commands_below(const CLI::App& group) {
    std::vector<std::string> names;
    for (const auto* command : group.get_subcommands([](const CLI::App*) { return true; })) {
        names.push_back(command->get_name());
    }
    return names;
}

/// CLI11 says that a command is missing, also where there is a word that is none. Empty: nothing of the kind is wrong.
std::string complaint_about_group(const CLI::App& app) {
    for (const auto* group : app.get_subcommands()) {
        if (group->get_require_subcommand_min() == 0 || !group->get_subcommands().empty()) {
            continue;
        }
        const auto words = group->remaining();
        const auto what = words.empty() ? std::string("a command is missing") : "'" + words.front() + "' is no command";
        return group->get_name() + ": " + what + ": expected one of " + base::joined(commands_below(*group), ", ") +
               ".\nRun with --help for more information.\n";
    }
    return {};
}

/// CLI11 tells help from errors by the exception; both become text here.
Usage usage_of(const CLI::App& app, const CLI::ParseError& outcome) {
    if (dynamic_cast<const CLI::RequiredError*>(&outcome) != nullptr) {
        if (auto complaint = complaint_about_group(app); !complaint.empty()) {
            return Usage{bad_usage, std::move(complaint)};
        }
    }
    std::ostringstream out;
    std::ostringstream error;
    const int code = app.exit(outcome, out, error);
    return code == fine ? Usage{fine, out.str()} : Usage{bad_usage, error.str()};
}

bool names_a_record(const Invocation& invocation) {
    return !invocation.records.id.empty() || !invocation.records.keys.empty();
}

bool needs_a_record(Command command) {
    return command == Command::show_record || command == Command::release_record || command == Command::resolve_record;
}

bool is_digits(const std::string& id) {
    return std::all_of(id.begin(), id.end(),
                       [](char c) { return base::is_digit(c) || (base::to_lower(c) >= 'a' && base::to_lower(c) <= 'f'); });
}

/// What CLI11 can't tell, because it depends on more than one option; empty when nothing is wrong.
std::string complaint_about(const Invocation& invocation) {
    const auto& records = invocation.records;
    if (needs_a_record(invocation.command) && !names_a_record(invocation)) {
        return "Which record? Expected its id, or --route and --key.\n";
    }
    if (!records.id.empty() &&
        (records.id.size() < id_digits_min || records.id.size() > id_digits_max || !is_digits(records.id))) {
        return "The id: expected 4 to 64 hexadecimal digits, the first of a record's id.\n";
    }
    if (records.outcome == "completed" && !records.status) {
        return "--outcome completed: expected --status N too, the status of the answer that clients get.\n";
    }
    if (records.outcome == "failed" && (records.status || !records.headers.empty() || !records.body_file.empty())) {
        return "--status, --header and --body belong to --outcome completed.\n";
    }
    const auto is_no_field = [](const std::string& line) { return line.find(':') == std::string::npos; };
    if (std::any_of(records.headers.begin(), records.headers.end(), is_no_field)) {
        return "--header: expected 'Name: value'.\n";
    }
    return {};
}

/// The innermost command that was named; null: none.
const CLI::App* named_command(const CLI::App& app) {
    const CLI::App* command = nullptr;
    for (auto named = app.get_subcommands(); !named.empty(); named = command->get_subcommands()) {
        command = named.front();
    }
    return command;
}

bool needs_a_file(Command command) {
    return command == Command::run || command == Command::check || command == Command::config;
}

/// The file may stand before its command or behind it. Empty when nothing is wrong.
std::string complaint_about_file(const CLI::App& app, const CLI::App& command, const Invocation& invocation) {
    const bool before = app.count(file_option) > 0;
    if (before && command.get_option_no_throw(file_option) == nullptr) {
        return "-c, --config: " + command.get_name() + " reads no configuration file.\n";
    }
    if (before && command.count(file_option) > 0) {
        return "-c, --config: expected one file, before " + command.get_name() + " or behind it.\n";
    }
    if (before && !(invocation.records.admin.empty() && invocation.health.empty())) {
        return (invocation.health.empty() ? "--admin" : "--health") + std::string(" excludes --config\n");
    }
    if (needs_a_file(invocation.command) && invocation.file.empty()) {
        return command.get_name() + ": expected -c FILE.\n";
    }
    return {};
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
    const auto* command = named_command(app);
    const bool version = app.count("--version") > 0;
    const auto asked = (command != nullptr ? 1U : 0U) + (version ? 1U : 0U);
    if (asked > 1 || (version && app.count(file_option) > 0)) {
        return Usage{bad_usage, "One command at a time.\n\n" + app.help()};
    }
    if (asked == 0 && app.count(file_option) == 0) {
        return Usage{bad_usage, "A command is missing.\n\n" + app.help()};
    }
    if (command != nullptr) {
        if (auto complaint = complaint_about_file(app, *command, invocation); !complaint.empty()) {
            return Usage{bad_usage, complaint + "Run with --help for more information.\n"};
        }
    }
    if (version) {
        invocation.command = Command::version;
    }
    if (auto complaint = complaint_about(invocation); !complaint.empty()) {
        return Usage{bad_usage, std::move(complaint)};
    }
    return invocation;
}

}  // namespace onceward::cli
