#include "cli/arguments.hpp"

#include "catch.hpp"

#include <vector>

using namespace onceward::cli;

namespace {

std::variant<Invocation, Usage> parse(std::vector<const char*> arguments) {
    arguments.insert(arguments.begin(), "onceward");
    return parse_arguments(static_cast<int>(arguments.size()), arguments.data());
}

}  // namespace

TEST_CASE("each command is understood, and a file alone is run") {
    struct Row {
        std::vector<const char*> arguments;
        Command command;
        std::string file;
    };
    const auto row = GENERATE(values<Row>({{{"run", "-c", "a.yaml"}, Command::run, "a.yaml"},
                                           {{"-c", "a.yaml"}, Command::run, "a.yaml"},
                                           {{"--config", "a.yaml"}, Command::run, "a.yaml"},
                                           {{"--config=a.yaml"}, Command::run, "a.yaml"},
                                           {{"check", "-c", "a.yaml"}, Command::check, "a.yaml"},
                                           {{"check", "--config", "a.yaml"}, Command::check, "a.yaml"},
                                           {{"config", "-c", "a.yaml"}, Command::config, "a.yaml"},
                                           {{"-c", "a.yaml", "run"}, Command::run, "a.yaml"},
                                           {{"-c", "a.yaml", "check"}, Command::check, "a.yaml"},
                                           {{"--config=a.yaml", "config"}, Command::config, "a.yaml"},
                                           {{"-c", "a.yaml", "records", "list"}, Command::list_records, "a.yaml"},
                                           {{"-c", "a.yaml", "wait"}, Command::wait, "a.yaml"},
                                           {{"schema"}, Command::schema, ""},
                                           {{"version"}, Command::version, ""},
                                           {{"--version"}, Command::version, ""}}));
    const auto parsed = parse(row.arguments);
    REQUIRE(std::holds_alternative<Invocation>(parsed));
    CHECK(std::get<Invocation>(parsed).command == row.command);
    CHECK(std::get<Invocation>(parsed).file == row.file);
}

TEST_CASE("a wrong command line is told on standard error and is exit code 2") {
    const auto arguments = GENERATE(values<std::vector<const char*>>(
        {{},
         {"start"},
         {"run"},
         {"check"},
         {"config"},
         {"-c"},
         {"run", "-c"},
         {"run", "a.yaml"},
         {"run", "-c", "a.yaml", "b.yaml"},
         {"run", "-c", "a.yaml", "-c", "b.yaml"},
         {"run", "-c", "a.yaml", "--port", "80"},
         {"run", "check", "-c", "a.yaml"},
         {"-c", "a.yaml", "check", "-c", "b.yaml"},
         {"-c", "a.yaml", "records", "list", "-c", "b.yaml"},
         {"-c", "a.yaml", "records", "list", "--admin", "unix:/a"},
         {"-c", "a.yaml", "healthcheck", "--health", "unix:/a"},
         {"-c", "a.yaml", "schema"},
         {"-c", "a.yaml", "id", "decode", "1"},
         {"-c", "", "check"},
         {"schema", "-c", "a.yaml"},
         {"version", "--version"},
         {"--version", "-c", "a.yaml"},
         {"--nope"},
         {"records"},
         {"records", "lst"},
         {"records", "show"},
         {"records", "show", "9f86", "--key", "k"},
         {"records", "show", "--key", "k"},
         {"records", "show", "--route", "orders"},
         {"records", "release", "9f86", "--scope", "a"},
         {"records", "resolve", "9f86"},
         {"records", "resolve", "9f86", "--outcome", "lost"},
         {"records", "resolve", "9f86", "--outcome", "completed"},
         {"records", "resolve", "9f86", "--outcome", "completed", "--status", "201", "--header", "X"},
         {"records", "resolve", "9f86", "--outcome", "failed", "--status", "200"},
         {"records", "resolve", "9f86", "--outcome", "failed", "--header", "X: y"},
         {"records", "resolve", "9f86", "--outcome", "failed", "--body", "-"},
         {"records", "list", "--id", "zz"},
         {"records", "list", "--id", "9f8"},
         {"records", "show", "zzzz"},
         {"records", "list", "--state", "stuck"},
         {"records", "list", "--older-than", "10"},
         {"records", "list", "--limit", "0"},
         {"records", "list", "-c", "a.yaml", "--admin", "unix:/a"},
         {"wait", "--timeout", "soon"},
         {"healthcheck", "-c", "a.yaml", "--health", "unix:/a"},
         {"id"},
         {"id", "decode"},
         {"id", "decode", "0"},
         {"id", "decode", "-1"},
         {"id", "decode", "9223372036854775808"},
         {"id", "decode", "x"},
         {"completion"},
         {"completion", "tcsh"}}));
    std::string line;
    for (const auto* word : arguments) {
        line.append(word).append(" ");
    }
    CAPTURE(line);
    const auto parsed = parse(arguments);
    REQUIRE(std::holds_alternative<Usage>(parsed));
    CHECK(std::get<Usage>(parsed).exit_code == 2);
    CHECK(!std::get<Usage>(parsed).text.empty());
}

TEST_CASE("a group of commands tells the word that is none of them, and which there are") {
    const auto text_of = [](std::vector<const char*> arguments) { return std::get<Usage>(parse(std::move(arguments))).text; };
    const std::string hint = ".\nRun with --help for more information.\n";
    CHECK(text_of({"records", "lst"}) == "records: 'lst' is no command: expected one of list, show, release, resolve" + hint);
    CHECK(text_of({"records"}) == "records: a command is missing: expected one of list, show, release, resolve" + hint);
    CHECK(text_of({"id", "7"}) == "id: '7' is no command: expected one of decode" + hint);
    CHECK(text_of({"run", "a.yaml"}).find("The following argument was not expected: a.yaml\n") == 0);
    CHECK(text_of({"records", "resolve", "9f86"}).find("--outcome is required") == 0);
}

TEST_CASE("what is wrong about the file is said in a line of its own") {
    struct Row {
        std::vector<const char*> arguments;
        std::string line;
    };
    const auto row = GENERATE(values<Row>({
        {{"check"}, "check: expected -c FILE.\n"},
        {{"-c", "a.yaml", "schema"}, "-c, --config: schema reads no configuration file.\n"},
        {{"-c", "a.yaml", "check", "-c", "b.yaml"}, "-c, --config: expected one file, before check or behind it.\n"},
    }));
    CHECK(std::get<Usage>(parse(row.arguments)).text.starts_with(row.line));
}

TEST_CASE("help is there for every command, with examples") {
    const auto arguments = GENERATE(values<std::vector<const char*>>({{"--help"},
                                                                      {"-h"},
                                                                      {"run", "--help"},
                                                                      {"check", "--help"},
                                                                      {"config", "-h"},
                                                                      {"schema", "--help"},
                                                                      {"version", "--help"},
                                                                      {"records", "--help"},
                                                                      {"records", "list", "--help"},
                                                                      {"records", "show", "--help"},
                                                                      {"records", "release", "--help"},
                                                                      {"records", "resolve", "--help"},
                                                                      {"healthcheck", "--help"},
                                                                      {"wait", "--help"},
                                                                      {"id", "--help"},
                                                                      {"id", "decode", "--help"},
                                                                      {"completion", "--help"}}));
    const auto parsed = parse(arguments);
    REQUIRE(std::holds_alternative<Usage>(parsed));
    CHECK(std::get<Usage>(parsed).exit_code == 0);
    CHECK(std::get<Usage>(parsed).text.find("Examples:\n  onceward") != std::string::npos);
}

namespace {

Invocation understood(const std::vector<const char*>& arguments) {
    const auto parsed = parse(arguments);
    if (const auto* usage = std::get_if<Usage>(&parsed)) {
        FAIL(usage->text);
    }
    return std::get<Invocation>(parsed);
}

}  // namespace

TEST_CASE("records are listed by what was asked for") {
    const auto plain = understood({"records", "list"});
    CHECK(plain.command == Command::list_records);
    CHECK(plain.records.limit == 100);
    CHECK(plain.output == Output::people);
    const auto some = understood({"records", "list", "--admin", "unix:/run/a.sock", "--route", "orders", "--state", "UNKNOWN",
                                  "--older-than", "10m", "--id", "9f86", "--limit", "7", "--json"});
    CHECK(some.records.admin == "unix:/run/a.sock");
    CHECK(some.records.route == "orders");
    CHECK(some.records.state == "UNKNOWN");
    CHECK(some.records.older_than == "10m");
    CHECK(some.records.id == "9f86");
    CHECK(some.records.limit == 7);
    CHECK(some.output == Output::json);
}

TEST_CASE("a record is named by its id, or by route, key and scope") {
    const auto by_id = understood({"records", "release", "9f86d081", "--yes", "--force"});
    CHECK(by_id.command == Command::release_record);
    CHECK(by_id.records.id == "9f86d081");
    CHECK(by_id.records.yes);
    CHECK(by_id.records.force);
    const auto by_key = understood(
        {"records", "show", "--route", "orders", "--key", "a", "--key", "b", "--scope", "x", "--scope", "y", "--body"});
    CHECK(by_key.command == Command::show_record);
    CHECK(by_key.records.keys == std::vector<std::string>{"a", "b"});
    CHECK(by_key.records.scopes == std::vector<std::string>{"x", "y"});
    CHECK(by_key.records.body);
    CHECK_FALSE(by_key.records.yes);
}

TEST_CASE("a resolution takes the answer that clients get") {
    const auto asked = understood({"records", "resolve", "9f86d081", "--outcome", "completed", "--status", "201", "--header",
                                   "A: 1", "--header", "B: 2", "--body", "answer.json", "-y"});
    CHECK(asked.command == Command::resolve_record);
    CHECK(asked.records.outcome == "completed");
    CHECK(asked.records.status == 201);
    CHECK(asked.records.headers == std::vector<std::string>{"A: 1", "B: 2"});
    CHECK(asked.records.body_file == "answer.json");
    CHECK(asked.records.yes);
}

TEST_CASE("probes, ids and completion") {
    CHECK(understood({"healthcheck"}).timeout.count() == 0);
    CHECK(understood({"wait", "--timeout", "90s", "--health", "http://h:1"}).timeout == std::chrono::seconds{90});
    CHECK(understood({"wait", "-c", "a.yaml"}).file == "a.yaml");
    CHECK(understood({"id", "decode", "9223372036854775807"}).operation_id == 9'223'372'036'854'775'807);
    CHECK(understood({"id", "decode", "--json", "17"}).output == Output::json);
    CHECK(understood({"completion", "bash"}).shell == "bash");
}
