#include "catch.hpp"
#include "cli/arguments.hpp"

using namespace onceward::cli;

namespace {

bool has(const std::string& text, std::string_view part) {
    return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("bash is told every command, option and value of the parser") {
    const auto script = completion_script("bash");
    CHECK(has(script, "complete -F _onceward onceward\n"));
    for (const auto* place : {"/run", "/records", "/records/list", "/records/release", "/id/decode", "/completion", "/wait"}) {
        CHECK(has(script, place));
    }
    CHECK(has(script, "'/records/list --state') COMPREPLY=($(compgen -W 'processing completed failed unknown expired'"));
    CHECK(has(script, "'/run -c'|'/run --config') compopt -o default"));
    CHECK(has(script, "'/completion') words='bash zsh fish "));
    CHECK(has(script, "'/records') words='list show release resolve "));
    CHECK_FALSE(has(script, "'/records/release --force')"));
}

TEST_CASE("zsh and fish are told the same with what each means") {
    const auto zsh = completion_script("zsh");
    CHECK(has(zsh, "#compdef onceward\n"));
    CHECK(has(zsh, "'release:Free a key"));
    CHECK(has(zsh, "'/records/list --state') compadd -- processing completed failed unknown expired"));
    CHECK(has(zsh, "_files"));
    const auto fish = completion_script("fish");
    CHECK(has(fish, "-a release -d 'Free a key"));
    CHECK(has(fish, "-l state -x -a 'processing completed failed unknown expired'"));
    CHECK(has(fish, "-s c -l config -r -F"));
}
