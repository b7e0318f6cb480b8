#include "admin/token.hpp"

#include "catch.hpp"
#include "onceward/config/token_file.hpp"
#include "temporary_folder.hpp"

#include <filesystem>
#include <fstream>

using namespace onceward;
using namespace onceward::admin;

namespace {

std::variant<Bearer, TokenRefusal> check(std::initializer_list<const char*> lines) {
    http::HeaderList headers;
    for (const auto* line : lines) {
        headers.add("Authorization", line);
    }
    return check_token(headers, {"first-token", "second"});
}

bool is(const std::variant<Bearer, TokenRefusal>& result, TokenRefusal refusal) {
    const auto* got = std::get_if<TokenRefusal>(&result);
    return got != nullptr && *got == refusal;
}

/// A file that is gone with the test.
struct File {
    explicit File(const std::string& text) { std::ofstream(path, std::ios::binary) << text; }

    test::TemporaryFolder folder;
    std::string path = folder.file("token");
};

std::vector<std::string> tokens_of(const std::string& text) {
    const File file(text);
    const auto read = config::read_tokens(file.path);
    REQUIRE(std::holds_alternative<std::vector<std::string>>(read));
    return std::get<std::vector<std::string>>(read);
}

bool is_refused(const std::string& text) {
    const File file(text);
    return std::holds_alternative<std::string>(config::read_tokens(file.path));
}

}  // namespace

TEST_CASE("each of the tokens is accepted, and named by its digest alone") {
    for (const auto* line : {"Bearer first-token", "bearer first-token", "BEARER  first-token "}) {
        const auto result = check({line});
        REQUIRE(std::holds_alternative<Bearer>(result));
        CHECK(std::get<Bearer>(result).name == "sha256:55b4b48f");
    }
    CHECK(std::holds_alternative<Bearer>(check({"Bearer second"})));
}

TEST_CASE("no token, a wrong one and two of them are refused") {
    CHECK(is(check({}), TokenRefusal::missing));
    CHECK(is(check({"Bearer "}), TokenRefusal::missing));
    CHECK(is(check({"Bearer"}), TokenRefusal::missing));
    CHECK(is(check({"Basic first-token"}), TokenRefusal::missing));
    CHECK(is(check({"Bearer second", "Bearer second"}), TokenRefusal::missing));
    CHECK(is(check({"Bearer first-toke"}), TokenRefusal::wrong));
    CHECK(is(check({"Bearer first-token2"}), TokenRefusal::wrong));
    CHECK(is(check({"Bearer first-token second"}), TokenRefusal::wrong));
    http::HeaderList headers;
    headers.add("Authorization", "Bearer x");
    CHECK(is(check_token(headers, {}), TokenRefusal::wrong));
}

TEST_CASE("a file holds a token a line, with comments and empty lines") {
    CHECK(tokens_of("abc") == std::vector<std::string>{"abc"});
    CHECK(tokens_of("# new\nabc \r\n\n\told\n") == std::vector<std::string>{"abc", "old"});
}

TEST_CASE("a file without a token, or with one that no header can carry, is refused") {
    CHECK(is_refused(""));
    CHECK(is_refused("\n# nothing\n  \n"));
    CHECK(is_refused("a b\n"));
    CHECK(is_refused("ab\xc3\xa4\n"));
    CHECK(is_refused(std::string(70'000, 'x')));
    CHECK(std::holds_alternative<std::string>(config::read_tokens("/nowhere/token")));
    CHECK(std::holds_alternative<std::string>(config::read_tokens("/tmp")));
}
