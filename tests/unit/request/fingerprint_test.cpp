#include "identifying.hpp"
#include "onceward/base/hex.hpp"
#include "onceward/crypto/sha256.hpp"

#include <algorithm>

using namespace onceward;
using guard::RequestIdentity;
using test::OneRoute;

namespace {
RequestIdentity identity(const OneRoute& one, OneRoute::Sent sent) {
    sent.fields.emplace_back("Idempotency-Key", "k");
    return one.found(sent).identity;
}
bool same(const OneRoute& one, const OneRoute::Sent& a, const OneRoute::Sent& b) {
    return identity(one, a).fingerprint == identity(one, b).fingerprint;
}
OneRoute canonical() {
    OneRoute one;
    one.route().fingerprint.json = config::JsonMode::canonical;
    return one;
}
std::string digest_text(std::string_view value) {
    return base::to_hex(crypto::sha256(value).bytes).substr(0, 16);
}
}  // namespace

TEST_CASE("method, normalised path, query and body count by default") {
    OneRoute one("/api/**");
    CHECK(same(one, {.target = "/api/a"}, {.target = "/API//x/../%61/"}));
    CHECK(same(one, {.target = "/api/a"}, {.target = "/api/a", .fields = {{"X-Other", "1"}}}));
    CHECK_FALSE(same(one, {.target = "/api/a"}, {.target = "/api/b"}));
    CHECK_FALSE(same(one, {.target = "/api/a"}, {.target = "/api/a", .method = "PATCH"}));
    CHECK_FALSE(same(one, {.target = "/api/a;v=1"}, {.target = "/api/a;v=2"}));
    CHECK_FALSE(same(one, {.target = "/api/a?x=1&y=2"}, {.target = "/api/a?y=2&x=1"}));
    CHECK_FALSE(same(one, {.target = "/api/a", .body = "{}"}, {.target = "/api/a", .body = "{} "}));
    CHECK_FALSE(same(one, {.target = "/api/a"}, {.target = "/api/a", .body = " "}));
    one.route().case_sensitive = true;
    CHECK_FALSE(same(one, {.target = "/api/a"}, {.target = "/api/A"}));
}

TEST_CASE("a form is its parts, whatever boundary stands between them") {
    // In the texts a bar stands for the delimiter.
    struct Form {
        std::string boundary;
        std::string text;
        std::string subtype = "form-data";
        std::string body{};
        std::string type{};
        OneRoute::Sent sent() {
            type = "multipart/" + subtype + "; boundary=" + boundary;
            body.clear();
            for (const char c : text) {
                body += c == '|' ? "--" + boundary : std::string(1, c);
            }
            return {.fields = {{"Content-Type", type}}, .body = body};
        }
    };
    const auto equal = [](const OneRoute& one, Form a, Form b) { return same(one, a.sent(), b.sent()); };
    const std::string a = "|\r\nContent-Disposition: form-data; name=a\r\n\r\n1\r\n";
    const std::string b = "|\r\nX: y\r\n\r\n2\r\n";
    const std::string end = "|--\r\n";
    for (const auto& one : {OneRoute(), canonical()}) {
        CHECK(equal(one, {"aa", a + b + end}, {"bb", a + b + end}));
        CHECK(equal(one, {"aa", a + b + end}, {"bb", "preamble\r\n" + a + b + end + "epilogue"}));
        CHECK_FALSE(equal(one, {"aa", a + b + end}, {"bb", a + "|\r\nX: y\r\n\r\n3\r\n" + end}));
        CHECK_FALSE(equal(one, {"aa", a + b + end}, {"aa", b + a + end}));
        CHECK_FALSE(equal(one, {"aa", a + b + end}, {"aa", a + end}));
        // What is no form is its bytes.
        CHECK_FALSE(equal(one, {"aa", a + b}, {"bb", a + b}));
        CHECK(equal(one, {"aa", a + b}, {"aa", a + b}));
        CHECK_FALSE(equal(one, {"aa", a + end, "mixed"}, {"bb", a + end, "mixed"}));
    }
    // The record still has the digest of the bytes that came.
    Form first{"aa", a + end};
    Form second{"bb", a + end};
    CHECK_FALSE(identity(OneRoute(), first.sent()).raw == identity(OneRoute(), second.sent()).raw);
}

TEST_CASE("only the configured parts count") {
    OneRoute one;
    one.route().fingerprint.parts = {{config::PartKind::body, {}}, {config::PartKind::header, "If-Match"}};
    CHECK(same(one, {.target = "/api/orders?a"}, {.target = "/api/orders?b", .method = "PATCH"}));
    CHECK_FALSE(same(one, {.fields = {{"If-Match", "1"}}}, {.fields = {{"if-match", "2"}}}));
    CHECK_FALSE(same(one, {}, {.fields = {{"If-Match", ""}}}));
    CHECK(same(one, {.fields = {{"If-Match", "1"}, {"If-Match", "2"}}}, {.fields = {{"If-Match", "1, 2"}}}));
    one.route().fingerprint.parts.clear();
    CHECK(same(one, {.body = "a"}, {.body = "b"}));
}

TEST_CASE("each part is named with 16 digits of its digest") {
    OneRoute one;
    one.route().fingerprint.parts.push_back({config::PartKind::header, "If-Match"});
    const auto parts = identity(one, {.target = "/API/orders/?q=1", .fields = {{"If-Match", "x"}}, .body = "b"}).parts;
    CHECK(parts == "method=" + digest_text("POST") + ",path=" + digest_text("/api/orders") + ",query=" + digest_text("q=1") +
                       ",body=" + digest_text("b") + ",header:If-Match=" + digest_text("=x"));
}

TEST_CASE("the parts' text stays under 4 KiB, the fingerprint counts them all") {
    OneRoute one;
    for (int i = 0; i < 300; ++i) {
        one.route().fingerprint.parts.push_back({config::PartKind::header, "X-" + std::to_string(i)});
    }
    CHECK(identity(one, {}).parts.size() <= 4096);
    CHECK_FALSE(same(one, {.fields = {{"X-299", "1"}}}, {.fields = {{"X-299", "2"}}}));
}

TEST_CASE("the raw digest is over method, target and body as received") {
    OneRoute one;
    const auto raw = [&](const OneRoute::Sent& sent) { return identity(one, sent).raw; };
    const auto base = raw({.body = "b"});
    CHECK(base == raw({.fields = {{"X", "1"}}, .body = "b"}));
    CHECK(base != raw({.body = "c"}));
    CHECK(base != raw({.body = "b", .method = "PATCH"}));
    CHECK(base != raw({.target = "/api/orders/", .body = "b"}));
    one.route().fingerprint.json = config::JsonMode::canonical;
    CHECK(base == raw({.body = "b"}));
}

TEST_CASE("the version changes with the fingerprint's configuration and with nothing else") {
    OneRoute one;
    const auto version = [&] { return identity(one, {}).version; };
    std::vector<guard::FingerprintVersion> seen{version()};
    const auto is_new = [&] {
        seen.push_back(version());
        return std::count(seen.begin(), seen.end(), seen.back()) == 1;
    };
    one.route().fingerprint.ignore = {"/a"};
    one.route().name = "other";
    one.route().caller = {};
    CHECK(version() == seen.front());
    one.route().fingerprint.json = config::JsonMode::canonical;
    CHECK(is_new());
    one.route().fingerprint.ignore = {"/b"};
    CHECK(is_new());
    one.route().case_sensitive = true;
    CHECK(is_new());
    one.route().fingerprint.parts.pop_back();
    CHECK(is_new());
    one.route().fingerprint.parts.push_back({config::PartKind::header, "A"});
    CHECK(is_new());
}

TEST_CASE("stored fingerprints keep their meaning") {
    OneRoute one;
    CHECK(base::to_hex(identity(one, {.body = "{}"}).version.bytes) == "aef8b7feb313c6f5");
    CHECK(base::to_hex(identity(one, {.body = "{}"}).fingerprint.bytes) ==
          "ae5c12c678db0562f1cb5d1183b9171dad87eb7f7ba023d47756cd0c78211688");
    CHECK(base::to_hex(identity(canonical(), {.body = "{}"}).fingerprint.bytes) ==
          "7a92c9000c0b4033b85a436b0cc2b2fb103ba7e91362f5643f920d8c8f4f3cb9");
}

TEST_CASE("canonical: equal values are the same request, whatever their spelling") {
    const auto one = canonical();
    CHECK(same(one, {.body = R"({"a":1,"b":"\u00e9"})"}, {.body = " {\"b\" : \"\xc3\xa9\",\n\"a\":1}"}));
    CHECK(same(one, {.body = "[1]", .method = "POST"}, {.fields = {{"Content-Type", "text/plain"}}, .body = " [1] "}));
    const std::string_view numbers[] = {"1", "1.0", "1e0", "0", "-0", "1e400", "\"1\"", "null", "[]", "{}", "\"\"", "false"};
    for (const auto a : numbers) {
        for (const auto b : numbers) {
            CHECK(same(one, {.body = a}, {.body = b}) == (a == b));
        }
    }
}

TEST_CASE("canonical: what is no JSON, or names a member twice, counts by its bytes") {
    const auto one = canonical();
    for (const std::string_view body : {R"({"a":1,"a":2})", "{\"a\":", "plain", "\"\\ud800\"", ""}) {
        CHECK(same(one, {.body = body}, {.body = body}));
        CHECK_FALSE(same(one, {.body = body}, {.body = std::string(body) + " "}));
    }
    CHECK_FALSE(same(one, {.body = "json{}"}, {.body = "{}"}));
}

TEST_CASE("canonical: ignored members do not count") {
    auto one = canonical();
    one.route().fingerprint.ignore = {"/meta/sent_at", "/a~1b"};
    CHECK(same(one, {.body = R"({"x":1,"meta":{"sent_at":1}})"}, {.body = R"({"a/b":[],"x":1,"meta":{}})"}));
    CHECK_FALSE(same(one, {.body = R"({"x":1,"meta":{"sent_at":1}})"}, {.body = R"({"x":1,"meta":{"sent_by":1}})"}));
}
