#include "cli/command_tree.hpp"

#include "config/units.hpp"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include <charconv>
#include <optional>

namespace onceward::cli {

namespace {

constexpr const char* file_option = "-c,--config";
constexpr const char* file_meaning = "The configuration file.";

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

constexpr Description list_description{
    Command::list_records, "list", "List records, the states of the keys that are remembered.",
    "Examples:\n  onceward records list --state unknown\n  onceward records list --route create-order --older-than 10m --json\n"
    "  onceward records list --id 9f86d081884c7d65     # the key_hash of an access line"};
constexpr Description show_description{Command::show_record, "show", "Show one record.",
                                       "Examples:\n  onceward records show 9f86d081884c7d65\n  onceward records show --route "
                                       "create-order --key 8e03978e-40d5 --body"};
constexpr Description release_description{
    Command::release_record, "release", "Free a key: the same request with it executes again.",
    "Examples:\n  onceward records release 9f86d081884c7d65\n  onceward records release --route create-order --key 8e03978e-40d5 "
    "--yes\n\nShows the record and asks first. Without a terminal to ask on it needs --yes.\nA record that is being executed, or "
    "was, needs --force: what it did may then be done twice.\nAnother request with the key still gets 422 KEY_REUSED; after "
    "resolve --outcome failed it executes too."};
constexpr Description resolve_description{
    Command::resolve_record, "resolve", "Say how an operation of unknown outcome ended.",
    "Examples:\n  onceward records resolve 9f86d081884c7d65 --outcome failed\n"
    "  onceward records resolve 9f86d081884c7d65 --outcome completed --status 201 \\\n"
    "      --header 'Content-Type: application/json' --body answer.json\n\ncompleted: later requests with the key get this "
    "answer. failed: it was not executed, the next request executes.\nShows the record and asks first. Without a terminal to ask "
    "on it needs --yes."};
constexpr Description health_description{
    Command::healthcheck, "healthcheck",
    "Ask /readyz once: exits with 0 when it is ready, else with 1, and with 2 when it can't tell whom to ask.",
    "Examples:\n  onceward healthcheck\n  onceward healthcheck -c /etc/onceward.yaml\n  HEALTHCHECK CMD [\"onceward\", "
    "\"healthcheck\"]     # in a Dockerfile"};
constexpr Description wait_description{
    Command::wait, "wait",
    "Wait until /readyz says ready: exits with 0 then, with 1 when it does not in time, and with 2 when it can't tell whom to "
    "ask.",
    "Examples:\n  onceward wait --timeout 30s && run-migrations\n  onceward wait --health http://10.0.0.7:9900"};
constexpr Description decode_description{
    Command::decode_id, "decode", "Say what an operation id is made of: its time, worker and sequence.",
    "Examples:\n  onceward id decode 282914710896644096\n  onceward id decode --json 282914710896644096"};
constexpr Description completion_description{
    Command::completion, "completion", "Print a script that completes this command line.",
    "Examples:\n  onceward completion bash > /etc/bash_completion.d/onceward\n  onceward completion zsh > "
    "~/.zfunc/_onceward\n  onceward completion fish > ~/.config/fish/completions/onceward.fish"};

CLI::App* add(CLI::App& app, const Description& description, Invocation& invocation) {
    auto* command = app.add_subcommand(description.name, description.what);
    command->footer(description.examples);
    command->callback([&invocation, &description] { invocation.command = description.command; });
    return command;
}

CLI::Option* add_file(CLI::App& command, Invocation& invocation) {
    return command.add_option(file_option, invocation.file, file_meaning)->type_name("FILE");
}

void add_json(CLI::App& command, Invocation& invocation) {
    command.add_flag_callback(
        "--json", [&invocation] { invocation.output = Output::json; }, "Print JSON.");
}

std::string duration_complaint(const std::string& text) {
    const auto parsed = config::parse_duration(text, config::Zero::refused);
    const auto* complaint = std::get_if<config::Complaint>(&parsed);
    return complaint == nullptr ? std::string{} : complaint->message;
}

std::optional<std::int64_t> parse_number(const std::string& text) {
    std::int64_t value = 0;
    const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool whole = result.ec == std::errc{} && result.ptr == text.data() + text.size();
    return whole && value > 0 ? std::optional(value) : std::nullopt;
}

std::string number_complaint(const std::string& text) {
    return parse_number(text) ? std::string{}
                              : "'" + text + "' is no operation id: expected a number from 1 to 9223372036854775807";
}

void add_timeout(CLI::App& command, Invocation& invocation, milliseconds otherwise) {
    const auto set = [&invocation](const std::string& text) {
        invocation.timeout = std::get<milliseconds>(config::parse_duration(text, config::Zero::refused));
    };
    command
        .add_option_function<std::string>("--timeout", set,
                                          "The longest wait for an answer, " + config::to_text(otherwise) + " without it.")
        ->check(CLI::Validator(duration_complaint, "", "duration"))
        ->type_name("DURATION");
}

/// How the admin listener is found.
void add_admin(CLI::App& command, Invocation& invocation) {
    auto& records = invocation.records;
    auto* file = add_file(command, invocation);
    command
        .add_option("--admin", records.admin,
                    "The admin listener, http://host:port or unix:/path; without it that of the configuration file, else "
                    "http://127.0.0.1:9901.")
        ->type_name("URL")
        ->excludes(file);
    command
        .add_option("--token-file", records.token_file, "File with the token to show; without it that of the configuration file.")
        ->type_name("FILE");
    add_timeout(command, invocation, records_timeout);
    add_json(command, invocation);
}

/// How one record is named.
void add_which(CLI::App& command, RecordArguments& records) {
    auto* id =
        command.add_option("id", records.id, "The record's id, or its first digits, such as the key_hash of an access line.")
            ->type_name("ID");
    auto* key =
        command.add_option("--key", records.keys, "The key that the client sent; once for each part of a key that is joined.")
            ->type_name("KEY")
            ->allow_extra_args(false)
            ->excludes(id);
    auto* route = command.add_option("--route", records.route, "The name of the key's route.")->type_name("NAME")->needs(key);
    key->needs(route);
    command
        .add_option("--scope", records.scopes, "A value of the route's scope: in the order of its sources, or as source=value.")
        ->type_name("VALUE")
        ->allow_extra_args(false)
        ->needs(key);
}

void add_confirmation(CLI::App& command, RecordArguments& records) {
    command.add_flag("-y,--yes", records.yes, "Do not ask.");
    command.add_flag("--force", records.force, "Also where a request is being executed, or was: it may then be executed twice.");
}

void add_record_commands(CLI::App& app, Invocation& invocation) {
    auto& records = invocation.records;
    auto* group = app.add_subcommand("records", "Look at the keys that are remembered, and free or settle one.");
    group->footer(
        "Examples:\n  onceward records list --state unknown\n  onceward records show 9f86d081884c7d65\n  onceward records "
        "release "
        "9f86d081884c7d65");
    group->require_subcommand(1);
    auto* list = add(*group, list_description, invocation);
    add_admin(*list, invocation);
    list->add_option("--route", records.route, "Only records of this route.")->type_name("NAME");
    list->add_option("--state", records.state, "Only records in this state.")
        ->check(CLI::IsMember({"processing", "completed", "failed", "unknown", "expired"}, CLI::ignore_case))
        ->type_name("STATE");
    list->add_option("--older-than", records.older_than, "Only records that have not changed for this long, such as 10m.")
        ->check(CLI::Validator(duration_complaint, "", "duration"))
        ->type_name("DURATION");
    list->add_option("--id", records.id, "Only records whose id begins with these digits, 4 at least.")->type_name("ID");
    list->add_option("--limit", records.limit, "How many records are shown at most, 100 without it.")
        ->check(CLI::Range(1U, 1'000'000U))
        ->type_name("N");
    auto* show = add(*group, show_description, invocation);
    add_admin(*show, invocation);
    add_which(*show, records);
    show->add_flag("--body", records.body, "Also the fields and the body of the recorded answer.");
    auto* release = add(*group, release_description, invocation);
    add_admin(*release, invocation);
    add_which(*release, records);
    add_confirmation(*release, records);
    auto* resolve = add(*group, resolve_description, invocation);
    add_admin(*resolve, invocation);
    add_which(*resolve, records);
    add_confirmation(*resolve, records);
    resolve->add_option("--outcome", records.outcome, "What became of the operation.")
        ->check(CLI::IsMember({"completed", "failed"}))
        ->type_name("OUTCOME")
        ->required();
    resolve->add_option("--status", records.status, "Status of the answer; a completed outcome needs it.")
        ->check(CLI::Range(200, 599))
        ->type_name("N");
    resolve->add_option("--header", records.headers, "A field of the answer, 'Name: value'; as often as needed.")
        ->type_name("FIELD")
        ->expected(1)
        ->take_all();
    resolve->add_option("--body", records.body_file, "File with the body of the answer; - is standard input.")->type_name("FILE");
}

void add_probes(CLI::App& app, Invocation& invocation) {
    for (const auto* description : {&health_description, &wait_description}) {
        auto* command = add(app, *description, invocation);
        auto* file = add_file(*command, invocation);
        command
            ->add_option("--health", invocation.health,
                         "The health listener, http://host:port or unix:/path; without it that of the configuration file, else "
                         "http://127.0.0.1:9900.")
            ->type_name("URL")
            ->excludes(file);
    }
    add_timeout(*app.get_subcommand("healthcheck"), invocation, healthcheck_timeout);
    add_timeout(*app.get_subcommand("wait"), invocation, wait_timeout);
}

}  // namespace

void add_commands(CLI::App& app, Invocation& invocation) {
    app.set_help_flag("-h,--help", "Print this help and exit.");
    app.add_flag_callback(
        "-V,--version", [] {}, "The same as the command version.");
    add_file(app, invocation);
    for (const auto& description : with_file) {
        add_file(*add(app, description, invocation), invocation);
    }
    for (const auto& description : without_file) {
        add(app, description, invocation);
    }
    add_record_commands(app, invocation);
    add_probes(app, invocation);
    auto* id = app.add_subcommand("id", "Read operation ids.");
    id->footer("Examples:\n  onceward id decode 282914710896644096");
    id->require_subcommand(1);
    auto* decode = add(*id, decode_description, invocation);
    const auto set_number = [&invocation](const std::string& text) { invocation.operation_id = parse_number(text).value_or(0); };
    decode->add_option_function<std::string>("number", set_number, "The operation id.")
        ->check(CLI::Validator(number_complaint, "", "number"))
        ->type_name("N")
        ->required();
    add_json(*decode, invocation);
    auto* completion = add(app, completion_description, invocation);
    completion->add_option("shell", invocation.shell, "Which shell.")
        ->check(CLI::IsMember({"bash", "zsh", "fish"}))
        ->type_name("SHELL")
        ->required();
}

}  // namespace onceward::cli
