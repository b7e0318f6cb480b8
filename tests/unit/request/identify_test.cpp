#include "identifying.hpp"
#include "onceward/base/hex.hpp"

using namespace onceward;
using guard::ProblemCode;
using request::Keyless;
using test::OneRoute;
using test::sources;
using HeadCheck = std::variant<Keyless, ProblemCode>;

namespace {
const test::Fields key{{"Idempotency-Key", "k"}};

std::string checked(const std::optional<HeadCheck>& result) {
    if (!result) {
        return "read the body";
    }
    return std::holds_alternative<Keyless>(*result) ? "keyless" : std::string(guard::info(std::get<ProblemCode>(*result)).name);
}
}  // namespace

TEST_CASE("the head alone refuses what no body can mend") {
    OneRoute one;
    CHECK(checked(one.check_head({.fields = key})) == "read the body");
    CHECK(checked(one.check_head({})) == "KEY_MISSING");
    CHECK(checked(one.check_head({.fields = {{"Idempotency-Key", "a b"}}})) == "KEY_INVALID");
    one.route().key.required = false;
    CHECK(checked(one.check_head({})) == "keyless");
    one.key_from({"header:Idempotency-Key", "json:/id"});
    CHECK(checked(one.check_head({})) == "read the body");
    CHECK(checked(one.check_head({.fields = {{"Idempotency-Key", ""}}})) == "KEY_INVALID");
    one.key_from({"header:Idempotency-Key"}).route().scope = sources({"query:tenant", "json:/x"});
    CHECK(checked(one.check_head({.target = "/api/orders?tenant=1&tenant=2", .fields = key})) == "KEY_INVALID");
    CHECK(checked(one.check_head({.target = "/api/orders?tenant=1", .fields = key})) == "read the body");
}

TEST_CASE("a record id is SHA-256 over route name, scope and key, length-prefixed") {
    // Stored records are found again by it: it must never change.
    OneRoute one;
    CHECK(base::to_hex(one.id({.fields = key}).bytes) == "3187789385fbf41ab8bb409d1069a74dc8021bd2bcd50748fc47cf94f0a6a3d1");
    one.route().scope = sources({"header:X-Tenant", "host"});
    CHECK(base::to_hex(one.id({.fields = {{"Idempotency-Key", "k"}, {"X-Tenant", "t"}}}).bytes) ==
          "a1bb5a10701e8ad0433b0c53017dad5ced4f7771fcd6ffb8b4f43090a9aa786e");
}

TEST_CASE("another route, another scope: another record") {
    OneRoute one;
    const auto plain = one.id({.fields = key});
    one.route().name = "other";
    CHECK(one.id({.fields = key}) != plain);
    one.route().name = "orders";
    one.route().scope = sources({"header:Authorization"});
    const auto nobody = one.id({.fields = key});
    const auto bob = one.id({.fields = {{"Idempotency-Key", "k"}, {"Authorization", "Bearer bob"}}});
    CHECK(bob != one.id({.fields = {{"Idempotency-Key", "k"}, {"Authorization", "Bearer alice"}}}));
    CHECK(bob != nobody);
    CHECK(nobody != plain);
}

TEST_CASE("an absent value of scope or caller is a value of its own, other than an empty one") {
    OneRoute one;
    one.route().scope = sources({"header:X-A", "header:X-B"});
    one.route().caller = one.route().scope;
    const test::Fields variants[] = {{},
                                     {{"X-A", ""}},
                                     {{"X-B", ""}},
                                     {{"X-A", "ab"}},
                                     {{"X-B", "ab"}},
                                     {{"X-A", "a"}, {"X-B", "b"}},
                                     {{"X-A", ""}, {"X-B", "ab"}}};
    std::vector<request::Identified> seen;
    for (auto fields : variants) {
        fields.push_back(key.front());
        seen.push_back(one.found({.fields = fields}));
    }
    for (std::size_t i = 0; i < seen.size(); ++i) {
        for (std::size_t j = 0; j < i; ++j) {
            CHECK(seen[i].id != seen[j].id);
            CHECK(seen[i].identity.caller != seen[j].identity.caller);
            CHECK(seen[i].identity.fingerprint == seen[j].identity.fingerprint);
        }
    }
}

TEST_CASE("a field of several lines in scope or caller is its lines joined") {
    OneRoute one;
    one.route().scope = sources({"header:X-A"});
    CHECK(one.id({.fields = {key[0], {"X-A", "1"}, {"X-A", "2"}}}) == one.id({.fields = {key[0], {"X-A", "1, 2"}}}));
}

TEST_CASE("a scope value that is no single value is refused") {
    OneRoute one;
    one.route().scope = sources({"json:/tenant"});
    CHECK(one.outcome({.fields = key, .body = R"({"tenant":null})"}) == "KEY_INVALID");
    CHECK(one.outcome({.fields = key, .body = R"({"tenant":1,"tenant":2})"}) == "KEY_INVALID");
    CHECK(one.outcome({.fields = key, .body = "{}"}) == "found");
}

TEST_CASE("the caller is told apart and is not part of id or fingerprint") {
    OneRoute one;
    const auto alice = one.found({.fields = {key[0], {"Authorization", "Bearer alice"}}});
    const auto bob = one.found({.fields = {key[0], {"Authorization", "Bearer bob"}}});
    CHECK(alice.id == bob.id);
    CHECK(alice.identity.fingerprint == bob.identity.fingerprint);
    CHECK(alice.identity.caller != bob.identity.caller);
    one.route().caller = sources({"jwt:sub"});
    // Two tokens of one subject: {"sub":"a","iat":1} and {"sub":"a","iat":2}.
    const auto first = one.found({.fields = {key[0], {"Authorization", "Bearer h.eyJzdWIiOiJhIiwiaWF0IjoxfQ.s"}}});
    const auto second = one.found({.fields = {key[0], {"Authorization", "Bearer h.eyJzdWIiOiJhIiwiaWF0IjoyfQ.t"}}});
    CHECK(first.identity.caller == second.identity.caller);
}
