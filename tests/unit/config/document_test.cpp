#include "catch.hpp"
#include "config/yaml_document.hpp"

using namespace onceward::config;

namespace {

Node parse(const std::string& text) {
    auto parsed = parse_yaml(text);
    if (const auto* error = std::get_if<YamlError>(&parsed)) {
        FAIL(error->message);
    }
    return std::get<Node>(std::move(parsed));
}

YamlError error_of(const std::string& text) {
    auto parsed = parse_yaml(text);
    REQUIRE(std::holds_alternative<YamlError>(parsed));
    return std::get<YamlError>(parsed);
}

}  // namespace

TEST_CASE("every node keeps its line and column") {
    const auto root = parse("a: 1\nb:\n  - x\n  - {c: \"y\"}\n");
    const auto* a = root.find("a");
    const auto* b = root.find("b");
    REQUIRE(a != nullptr);
    REQUIRE(b != nullptr);
    CHECK(a->place.line == 1);
    CHECK(a->place.column == 1);
    CHECK(a->value.place.column == 4);
    CHECK(b->value.items.at(0).place.line == 3);
    CHECK(b->value.items.at(0).place.column == 5);
    const auto* c = b->value.items.at(1).find("c");
    REQUIRE(c != nullptr);
    CHECK(c->place.line == 4);
    CHECK(c->place.column == 6);
    CHECK(c->value.place.column == 9);
}

TEST_CASE("quoted, block and plain scalars are told apart") {
    const auto root = parse("a: 30\nb: '30'\nc: \"30\"\nd: |\n  30\ne: ''\nf: null\ng:\nh: ~\n");
    CHECK(root.find("a")->value.style == Node::Style::plain);
    for (const auto* key : {"b", "c", "d", "e"}) {
        CAPTURE(key);
        CHECK(root.find(key)->value.kind == Node::Kind::scalar);
        CHECK(root.find(key)->value.style == Node::Style::quoted);
    }
    for (const auto* key : {"f", "g", "h"}) {
        CAPTURE(key);
        CHECK(root.find(key)->value.kind == Node::Kind::null);
    }
}

TEST_CASE("an empty value has the place of its key") {
    const auto root = parse("a: 1\nb:\nc: 2\n");
    CHECK(root.find("b")->value.place.line == 2);
    CHECK(root.find("b")->value.place.column == 1);
}

TEST_CASE("aliases are expanded") {
    const auto root = parse("a: &x {k: [1, 2]}\nb: *x\n");
    CHECK(root.find("b")->value.find("k")->value.items.size() == 2);
}

TEST_CASE("a second document is an error at its place") {
    const auto error = error_of("a: 1\n---\nb: 2\n");
    CHECK(error.place.line == 2);
    CHECK(error.message.find("second YAML document") != std::string::npos);
    CHECK(error_of("a: 1\n---\n").place.line == 2);
    CHECK(error_of("a: 1\n...\n---\nb: 1\n").message.find("second") != std::string::npos);
}

TEST_CASE("one document may be marked as such") {
    CHECK(parse("---\na: 1\n").find("a") != nullptr);
    CHECK(parse("---\na: 1\n...\n").find("a") != nullptr);
    CHECK(parse("\xef\xbb\xbf"
                "a: 1\n")
              .find("a") != nullptr);
}

TEST_CASE("text that is not YAML is an error at its place") {
    CHECK(error_of("a: [1, 2\nb: 3\n").place.line >= 1);
    CHECK(error_of("a: 1\n b: 2\n").place.line == 2);
    CHECK(error_of("a: \"x\n").message.find("not YAML") == 0);
}

TEST_CASE("a quote that is not closed is an error at its place, even at the end of the file") {
    for (const auto* text : {"a: \"x\n", "a: 'x\n", "a: \"x\\\"\n", "a: 'x''\n", "a: &n \"x\n", "\xe8\xaf\xb7: \"x\r\n"}) {
        CAPTURE(text);
        const auto error = error_of(text);
        CHECK(error.place.line == 1);
        CHECK(error.message == "not YAML: a quote that is not closed");
    }
    const auto root = parse("\xe8\xaf\xb7: \"x\\\"\"\r\nb: 'it''s'\r\nc: &n \"y\"\r\nd: it's\r\n");
    CHECK(root.find("b")->value.text == "it's");
    CHECK(root.find("c")->value.text == "y");
    CHECK(root.find("d")->value.text == "it's");
}

TEST_CASE("aliases that multiply are stopped by the number of values") {
    std::string bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
    for (int i = 1; i < 10; ++i) {
        const auto one_below = "*a" + std::to_string(i - 1);
        bomb += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [";
        for (int j = 0; j < 10; ++j) {
            bomb += (j == 0 ? "" : ", ") + one_below;
        }
        bomb += "]\n";
    }
    CHECK(error_of(bomb).message.find("more than 30000 values") == 0);
}

TEST_CASE("an alias inside of what it names is an error") {
    CHECK(error_of("a: &x [*x]\n").message.find("inside of what it names") != std::string::npos);
}

TEST_CASE("deep nesting is an error, whether written or made of aliases") {
    CHECK(error_of(std::string(40, '[') + std::string(40, ']')).message.find("nested more than") == 0);
    CHECK(error_of(std::string(100'000, '[')).message.find("nested more than") == 0);
    std::string text = "a0: &a0 [x]\n";
    for (int i = 1; i < 40; ++i) {
        text += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [*a" + std::to_string(i - 1) + "]\n";
    }
    CHECK(error_of(text).message.find("nested more than") == 0);
}

TEST_CASE("tags and keys that are not text are errors") {
    CHECK(error_of("a: !!int 5\n").place.column == 4);
    CHECK(error_of("a: !secret x\n").message.find("tag") != std::string::npos);
    CHECK(error_of("? [a, b]\n: c\n").message.find("key that is not text") != std::string::npos);
    CHECK(error_of("? {a: b}\n: c\n").message.find("key that is not text") != std::string::npos);
}

TEST_CASE("bytes that are not printable UTF-8 are errors at their place") {
    const auto error = error_of("a: 1\nb: \xff\n");
    CHECK(error.place.line == 2);
    CHECK(error.place.column == 4);
    CHECK(error.message.find("UTF-8") != std::string::npos);
    CHECK(error_of(std::string("a: \0b\n", 6)).place.column == 4);
    CHECK(error_of("a: \xc0\xaf\n").place.line == 1);
    CHECK(error_of("a: \xed\xa0\x80\n").place.line == 1);
    CHECK(error_of("a: \xf4\x90\x80\x80\n").place.line == 1);
    CHECK(error_of("a: \x1b[31m\n").place.column == 4);
    CHECK(parse("a: \xe8\xaf\xb7\xf0\x9f\x98\x80\n").find("a")->value.text == "\xe8\xaf\xb7\xf0\x9f\x98\x80");
}
