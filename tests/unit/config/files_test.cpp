#include "catch.hpp"
#include "loading.hpp"
#include "reference.hpp"

#include <filesystem>
#include <fstream>
#include <iterator>

using namespace onceward::config;

namespace {

const std::string directory = ONCEWARD_CONFIG_DIR;
const std::string begin_mark = "<!-- keys: written by config_test [write] -->\n";
const std::string end_mark = "<!-- end of keys -->\n";

std::string read(const std::string& name) {
    std::ifstream file(directory + "/" + name, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

void write(const std::string& name, const std::string& text) {
    std::ofstream(directory + "/" + name, std::ios::binary) << text;
}

std::string with_key_tables(const std::string& readme) {
    const auto begin = readme.find(begin_mark);
    const auto end = readme.find(end_mark);
    REQUIRE(begin != std::string::npos);
    REQUIRE(end != std::string::npos);
    return readme.substr(0, begin + begin_mark.size()) + key_tables() + readme.substr(end);
}

/// All configurations of the folder, relative to it.
std::vector<std::string> files() {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(directory)) {
        if (entry.path().extension() == ".yaml") {
            names.push_back(std::filesystem::relative(entry.path(), directory).string());
        }
    }
    return names;
}

Loaded load_from_repository(const std::string& name) {
    return load_file(directory + "/" + name);
}

}  // namespace

// Not part of a run: `config_test [write]` brings the generated files up to date.
TEST_CASE("write the generated files", "[.][write]") {
    write("onceward.schema.json", json_schema());
    write("onceward.full.yaml", annotated_defaults());
    write("README.md", with_key_tables(read("README.md")));
}

TEST_CASE("the schema in the repository is the one that is printed") {
    CHECK(read("onceward.schema.json") == json_schema());
}

TEST_CASE("the full file in the repository has every key with its default") {
    CHECK(read("onceward.full.yaml") == annotated_defaults());
    const auto full = load_from_repository("onceward.full.yaml");
    REQUIRE(full.errors.empty());
    const auto smallest_file = load_from_repository("onceward.yaml");
    REQUIRE(smallest_file.errors.empty());
    CHECK(effective_yaml(full.options) == effective_yaml(smallest_file.options));
}

TEST_CASE("the documentation in the repository has every key") {
    const auto readme = read("README.md");
    CHECK(readme == with_key_tables(readme));
}

TEST_CASE("the examples load without error or doubt, and come back from their effective configuration") {
    const auto name = GENERATE(from_range(files()));
    CAPTURE(name);
    const auto loaded = load_from_repository(name);
    REQUIRE(loaded.errors.empty());
    CHECK(loaded.warnings.empty());
    const auto text = effective_yaml(loaded.options);
    const auto again = load_text(text, directory + "/" + name);
    REQUIRE(again.errors.empty());
    CHECK(effective_yaml(again.options) == text);
}

TEST_CASE("an editor finds the schema by the first line of each file") {
    const auto name = GENERATE(from_range(files()));
    CAPTURE(name);
    const std::string mark = "# yaml-language-server: $schema=";
    const auto first_line = read(name).substr(0, read(name).find('\n'));
    REQUIRE(first_line.substr(0, mark.size()) == mark);
    const auto schema = std::filesystem::path(name).parent_path() / first_line.substr(mark.size());
    CHECK(schema.lexically_normal() == "onceward.schema.json");
}
