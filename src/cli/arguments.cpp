#include "cli/arguments.hpp"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include <sstream>

namespace onceward::cli {

namespace {

constexpr int bad_usage = 2;

constexpr const char* examples =
    "Examples:\n"
    "  onceward run -c onceward.yaml      serve\n"
    "  onceward -c onceward.yaml          the same\n"
    "  onceward check -c onceward.yaml    say what is wrong with a file, and where\n"
    "  onceward config -c onceward.yaml   show what a file means, defaults filled in\n"
    "\n"
    "Exit codes: 0 fine, 1 failed while running, 2 bad usage or configuration.";

struct Description {
    Command command;
    const char* name;
    const char* what;
    const char* examples;
};

constexpr Description with_file[] = {
    {Command::run, "run", "Serve until SIGTERM.",
     "Examples:\n  onceward run -c /etc/onceward.yaml\n  STORE_URL=redis://10.0.0.5 onceward run -c onceward.yaml   # url: "
     "${STORE_URL} in the file"},
    {Command::check, "check", "Check a configuration file: every error with its place, on standard error.",
     "Examples:\n  onceward check -c onceward.yaml && systemctl restart onceward\n\nExits with 2 when there are errors, with 0 "
     "when there are none or only warnings."},
    {Command::config, "config", "Print the effective configuration: every key, defaults filled in, secrets as ***.",
     "Examples:\n  onceward config -c onceward.yaml\n  diff <(onceward config -c old.yaml) <(onceward config -c new.yaml)"},
};

constexpr Description without_file[] = {
    {Command::schema, "schema", "Print the JSON Schema of the configuration file.",
     "Examples:\n  onceward schema > onceward.schema.json"},
    {Command::version, "version", "Print the version, the build and the libraries.", "Examples:\n  onceward version"},
};

CLI::App* add(CLI::App& app, const Description& description, Invocation& invocation) {
    auto* command = app.add_subcommand(description.name, description.what);
    command->footer(description.examples);
    command->callback([&invocation, &description] { invocation.command = description.command; });
    return command;
}

/// CLI11 tells help from errors by the exception; both become text here.
Usage usage_of(const CLI::App& app, const CLI::ParseError& outcome) {
    std::ostringstream out;
    std::ostringstream error;
    const int code = app.exit(outcome, out, error);
    return code == 0 ? Usage{0, out.str()} : Usage{bad_usage, error.str()};
}

}  // namespace

std::variant<Invocation, Usage> parse_arguments(int argc, const char* const* argv) {
    constexpr const char* file_option = "-c,--config";
    constexpr const char* file_meaning = "The configuration file.";
    CLI::App app("Onceward: makes the write endpoints of an HTTP service idempotent.", "onceward");
    app.footer(examples);
    app.require_subcommand(0, 1);
    app.set_help_flag("-h,--help", "Print this help and exit.");
    Invocation invocation;
    bool version = false;
    app.add_flag("-V,--version", version, "The same as the command version.");
    const auto* plain_file = app.add_option(file_option, invocation.file, file_meaning)->type_name("FILE");
    for (const auto& description : with_file) {
        add(app, description, invocation)->add_option(file_option, invocation.file, file_meaning)->type_name("FILE")->required();
    }
    for (const auto& description : without_file) {
        add(app, description, invocation);
    }
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& outcome) {
        return usage_of(app, outcome);
    }
    const bool has_command = !app.get_subcommands().empty();
    const auto asked = (has_command ? 1U : 0U) + (version ? 1U : 0U) + (plain_file->count() > 0 ? 1U : 0U);
    if (asked != 1) {
        return Usage{
            bad_usage,
            (asked == 0 ? "A command is missing.\n\n" : "One command at a time; its options stand behind it.\n\n") + app.help()};
    }
    if (version) {
        invocation.command = Command::version;
    }
    return invocation;
}

}  // namespace onceward::cli
