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
                                           {{"schema"}, Command::schema, ""},
                                           {{"version"}, Command::version, ""},
                                           {{"--version"}, Command::version, ""}}));
    const auto parsed = parse(row.arguments);
    REQUIRE(std::holds_alternative<Invocation>(parsed));
    CHECK(std::get<Invocation>(parsed).command == row.command);
    CHECK(std::get<Invocation>(parsed).file == row.file);
}

TEST_CASE("a wrong command line is told on standard error and is exit code 2") {
    const auto arguments = GENERATE(values<std::vector<const char*>>({{},
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
                                                                      {"-c", "a.yaml", "check"},
                                                                      {"-c", "a.yaml", "schema"},
                                                                      {"schema", "-c", "a.yaml"},
                                                                      {"version", "--version"},
                                                                      {"--version", "-c", "a.yaml"},
                                                                      {"--nope"}}));
    const auto parsed = parse(arguments);
    REQUIRE(std::holds_alternative<Usage>(parsed));
    CHECK(std::get<Usage>(parsed).exit_code == 2);
    CHECK(!std::get<Usage>(parsed).text.empty());
}

TEST_CASE("help is there for every command, with examples") {
    const auto arguments = GENERATE(values<std::vector<const char*>>({{"--help"},
                                                                      {"-h"},
                                                                      {"run", "--help"},
                                                                      {"check", "--help"},
                                                                      {"config", "-h"},
                                                                      {"schema", "--help"},
                                                                      {"version", "--help"}}));
    const auto parsed = parse(arguments);
    REQUIRE(std::holds_alternative<Usage>(parsed));
    CHECK(std::get<Usage>(parsed).exit_code == 0);
    CHECK(std::get<Usage>(parsed).text.find("Examples:\n  onceward") != std::string::npos);
}
