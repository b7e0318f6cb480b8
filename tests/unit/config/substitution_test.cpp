#include "config/substitution.hpp"

#include "catch.hpp"
#include "loading.hpp"

#include <cstdlib>
#include <fstream>

using namespace onceward::config;

namespace {

/// A variable of this process for the length of a test.
class Variable {
public:
    Variable(const char* name, const char* value) : name_(name) { setenv(name, value, 1); }
    ~Variable() { unsetenv(name_); }
    Variable(const Variable&) = delete;
    Variable& operator=(const Variable&) = delete;

private:
    const char* name_;
};

std::string value(const std::string& text) {
    const auto result = substituted(text);
    REQUIRE(std::holds_alternative<std::string>(result));
    return std::get<std::string>(result);
}

}  // namespace

TEST_CASE("environment variables are put in, any other dollar is data") {
    const Variable set("ONCEWARD_TEST_A", "x y");
    const Variable empty("ONCEWARD_TEST_E", "");
    struct Row {
        std::string text;
        std::string value;
    };
    const auto row = GENERATE(values<Row>({{"${ONCEWARD_TEST_A}", "x y"},
                                           {"<${ONCEWARD_TEST_A}|${ONCEWARD_TEST_A}>", "<x y|x y>"},
                                           {"${ONCEWARD_TEST_A:-d}", "x y"},
                                           {"${ONCEWARD_TEST_E}", ""},
                                           {"${ONCEWARD_TEST_E:-d}", "d"},
                                           {"${ONCEWARD_TEST_UNSET:-a:-b}", "a:-b"},
                                           {"${ONCEWARD_TEST_UNSET:-}", ""},
                                           {"$", "$"},
                                           {"$HOME", "$HOME"},
                                           {"$$", "$$"},
                                           {"$${ONCEWARD_TEST_A}", "$x y"},
                                           {"${", "${"},
                                           {"${}", "${}"},
                                           {"${1}", "${1}"},
                                           {"${A B}", "${A B}"},
                                           {"${A-b}", "${A-b}"},
                                           {"${A:-b", "${A:-b"},
                                           {"^[a-z]{3}$", "^[a-z]{3}$"}}));
    CAPTURE(row.text);
    CHECK(value(row.text) == row.value);
}

TEST_CASE("what a variable holds is not looked at again") {
    const Variable set("ONCEWARD_TEST_A", "${ONCEWARD_TEST_A}");
    CHECK(value("${ONCEWARD_TEST_A}") == "${ONCEWARD_TEST_A}");
}

TEST_CASE("text is escaped so that it comes back") {
    const auto text = GENERATE(values<std::string>({"", "$", "${", "${A}", "$${A:-b}${C}", "${A:-${B}}"}));
    CAPTURE(text);
    CHECK(value(escaped_for_substitution(text)) == text);
}

TEST_CASE("a variable that is not set is one error, at its place") {
    const auto loaded = load_route_lines("    lease: ${ONCEWARD_TEST_UNSET}\n");
    CHECK(errors_of(loaded) ==
          "c.yaml:6:12: routes[0].lease: the environment variable ONCEWARD_TEST_UNSET is not set: expected a value, or a default "
          "as in "
          "${ONCEWARD_TEST_UNSET:-default}\n");
    CHECK(load("upstream: http://a:1\ndefaults:\n  lease: ${ONCEWARD_TEST_UNSET}\nroutes: [{path: /a}, {path: /b}]\n")
              .errors.size() == 1);
}

TEST_CASE("a variable gives a value of any type, quoted or not") {
    const Variable number("ONCEWARD_TEST_N", "12");
    const Variable boolean("ONCEWARD_TEST_B", "false");
    const auto loaded = load(smallest + "    key: {required: \"${ONCEWARD_TEST_B}\"}\n    name: ${ONCEWARD_TEST_N}\n" +
                             "limits:\n  header_count: ${ONCEWARD_TEST_N}\n  connections: \"${ONCEWARD_TEST_N}\"\n");
    REQUIRE(errors_of(loaded).empty());
    CHECK(loaded.options.limits.header_count == 12);
    CHECK(loaded.options.limits.connections == 12);
    CHECK(loaded.options.routes.at(0).name == "12");
    CHECK_FALSE(loaded.options.routes.at(0).key.required);
}

TEST_CASE("a variable can't put structure into the file") {
    const Variable set("ONCEWARD_TEST_A", "x, admin: on}\nroutes: []");
    const auto loaded = load(smallest + "    errors: {messages: {KEY_MISSING: \"${ONCEWARD_TEST_A}\"}}\n");
    REQUIRE(errors_of(loaded).empty());
    CHECK(loaded.options.routes.at(0).errors.messages.at("KEY_MISSING") == "x, admin: on}\nroutes: []");
}

TEST_CASE("a secret is read from a file, without its line end") {
    const auto directory = std::filesystem::temp_directory_path() / "onceward_config_secret";
    std::filesystem::create_directories(directory);
    const auto end = GENERATE(values<std::string>({"", "\n", "\r\n"}));
    std::ofstream(directory / "url.txt", std::ios::binary) << "redis://:pw@127.0.0.1:6379" << end;
    const auto loaded =
        load_text("upstream: http://a:1\nroutes: [{path: /a}]\nstore: {url: file:url.txt}\n", (directory / "c.yaml").string());
    std::filesystem::remove_all(directory);
    REQUIRE(errors_of(loaded).empty());
    CHECK(loaded.options.store.redis.password == "pw");
    CHECK(loaded.options.store.redis.address.port == 6379);
}

TEST_CASE("a secret's file that is not there is an error") {
    const auto loaded = load("upstream: http://a:1\nroutes: [{path: /a}]\nstore: {url: \"file:/nonexistent/url\"}\n");
    CHECK(errors_of(loaded) ==
          "c.yaml:3:14: store.url: the file \"/nonexistent/url\" can't be read: expected one that holds the secret\n");
}
