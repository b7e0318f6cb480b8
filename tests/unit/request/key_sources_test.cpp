#include "identifying.hpp"

using namespace onceward;
using test::OneRoute;
using test::sources;

TEST_CASE("the Idempotency-Key header: one value, once") {
    OneRoute one;
    CHECK(one.outcome({.fields = {{"Idempotency-Key", "abc"}}}) == "found");
    CHECK(one.id({.fields = {{"Idempotency-Key", "abc"}}}) == one.id({.fields = {{"idempotency-key", "\"abc\""}}}));
    CHECK(one.id({.fields = {{"Idempotency-Key", "abc"}}}) != one.id({.fields = {{"Idempotency-Key", "abd"}}}));
    CHECK(one.outcome({}) == "KEY_MISSING");
    CHECK(one.outcome({.fields = {{"Idempotency-Key", "a"}, {"Idempotency-Key", "a"}}}) == "KEY_INVALID");
    CHECK(one.outcome({.fields = {{"Idempotency-Key", "a, b"}}}) == "KEY_INVALID");
    CHECK(one.outcome({.fields = {{"Idempotency-Key", "abc"}, {"Connection", "Idempotency-Key"}}}) == "found");
}

TEST_CASE("where the key is optional a request without one is keyless, and an empty one is still invalid") {
    OneRoute one;
    one.route().key.required = false;
    CHECK(one.outcome({}) == "keyless");
    for (const std::string_view empty : {"", "   ", "\"\""}) {
        CHECK(one.outcome({.fields = {{"Idempotency-Key", empty}}}) == "KEY_INVALID");
    }
    one.key_from({"header:X-Token"});
    CHECK(one.outcome({.fields = {{"X-Token", ""}}}) == "KEY_INVALID");
}

TEST_CASE("other headers take 1 to 255 bytes literally") {
    OneRoute one;
    one.key_from({"header:X-Token"});
    const std::string_view values[] = {"t", "\"t\"", "t, b", "t b", "t;x=1", "\"t", "\xc3\xa9"};
    for (const auto a : values) {
        for (const auto b : values) {
            CHECK((one.id({.fields = {{"X-Token", a}}}) == one.id({.fields = {{"X-Token", b}}})) == (a == b));
        }
    }
    CHECK(one.outcome({.fields = {{"X-Token", std::string(255, 'y')}}}) == "found");
    CHECK(one.outcome({.fields = {{"X-Token", std::string(256, 'y')}}}) == "KEY_INVALID");
    CHECK(one.outcome({.fields = {{"Idempotency-Key", "a"}}}) == "KEY_MISSING");
    CHECK(one.outcome({.fields = {{"X-Token", "a"}, {"X-Token", "a"}}}) == "KEY_INVALID");
}

TEST_CASE("of alternatives any one is the key; two with different values are invalid") {
    OneRoute one;
    one.key_from({"header:Idempotency-Key", "header:X-Token"});
    const auto id = one.id({.fields = {{"Idempotency-Key", "\"k\""}}});
    CHECK(one.id({.fields = {{"X-Token", "k"}}}) == id);
    CHECK(one.id({.fields = {{"X-Token", "k"}, {"Idempotency-Key", "k"}}}) == id);
    CHECK(one.outcome({.fields = {{"X-Token", "k"}, {"Idempotency-Key", "other"}}}) == "KEY_INVALID");
    CHECK(one.outcome({.fields = {{"X-Token", ""}, {"Idempotency-Key", "k"}}}) == "KEY_INVALID");
    CHECK(one.outcome({}) == "KEY_MISSING");
}

TEST_CASE("a joined alternative needs all its parts and collides with no other") {
    OneRoute one;
    one.route().key.from = {sources({"header:X-A", "header:X-B"})};
    CHECK(one.outcome({.fields = {{"X-A", "a"}}}) == "KEY_INVALID");
    CHECK(one.outcome({.fields = {{"X-B", "a"}}}) == "KEY_INVALID");
    CHECK(one.outcome({}) == "KEY_MISSING");
    CHECK(one.id({.fields = {{"X-A", "ab"}, {"X-B", "c"}}}) != one.id({.fields = {{"X-A", "a"}, {"X-B", "bc"}}}));
    one.route().key.from.push_back(sources({"header:X-C"}));
    CHECK(one.outcome({.fields = {{"X-A", "a"}, {"X-C", "c"}}}) == "KEY_INVALID");
    CHECK(one.outcome({.fields = {{"X-C", "c"}}}) == "found");
}

TEST_CASE("a pattern must match the whole key") {
    OneRoute one;
    one.route().key.pattern = "[0-9]{3}";
    CHECK(one.outcome({.fields = {{"Idempotency-Key", "\"123\""}}}) == "found");
    CHECK(one.outcome({.fields = {{"Idempotency-Key", "1234"}}}) == "KEY_INVALID");
}

TEST_CASE("a JSON key is a string or a number's text") {
    OneRoute one;
    one.key_from({"json:/order/id"});
    const auto outcome = [&](std::string_view body) {
        return one.outcome({.fields = {{"Content-Type", "application/json"}}, .body = body});
    };
    CHECK(outcome(R"({"order":{"id":"x"}})") == "found");
    CHECK(one.id({.body = R"({"order":{"id":12}})"}) == one.id({.body = R"({"order":{"id":"12"}})"}));
    CHECK(one.id({.body = R"({"order":{"id":1.0}})"}) != one.id({.body = R"({"order":{"id":1}})"}));
    CHECK(one.id({.body = R"({"order":{"id":"\u00e9"}})"}) == one.id({.body = "{\"order\":{\"id\":\"\xc3\xa9\"}}"}));
    for (const std::string_view bad :
         {R"({"order":{"id":true}})", R"({"order":{"id":null}})", R"({"order":{"id":[]}})", R"({"order":{"id":{}}})",
          R"({"order":{"id":""}})", R"({"order":{"id":1,"id":1}})", R"({"order":{"id":1},"order":{}})", R"({"order":{"id":1})",
          R"({"order":{"id":"\ud800"}})"}) {
        INFO(bad);
        CHECK(outcome(bad) == "KEY_INVALID");
    }
    CHECK(outcome(R"({"order":{"id":1},"x":)" + std::string(128, '[') + std::string(128, ']') + "}") == "KEY_INVALID");
    CHECK(outcome(R"({"order":{"id":1},"x":1,"x":2})") == "found");
    for (const std::string_view absent : {"", " ", "{}", "[]", R"({"order":1})"}) {
        INFO(absent);
        CHECK(outcome(absent) == "KEY_MISSING");
    }
}

TEST_CASE("a body that is not meant to be JSON has no JSON key; broken JSON is invalid") {
    OneRoute one;
    one.key_from({"json:/id"});
    one.route().key.required = false;
    CHECK(one.outcome({.fields = {{"Content-Type", "text/plain"}}, .body = "hello"}) == "keyless");
    CHECK(one.outcome({.fields = {{"Content-Type", "text/plain"}}, .body = "{\"id\":1,}"}) == "KEY_INVALID");
    CHECK(one.outcome({.body = "hello"}) == "KEY_INVALID");
}

TEST_CASE("keys from the query, a form, a multipart body, the path, the host") {
    OneRoute query;
    query.key_from({"query:idem"});
    CHECK(query.id({.target = "/api/orders?x=1&idem=k%201"}) == query.id({.target = "/api/orders?idem=k+1"}));
    CHECK(query.outcome({.target = "/api/orders?x=1"}) == "KEY_MISSING");
    CHECK(query.outcome({.target = "/api/orders?idem=1&idem=1"}) == "KEY_INVALID");
    CHECK(query.outcome({.target = "/api/orders?idem="}) == "KEY_INVALID");

    OneRoute form;
    form.key_from({"form:token"});
    const test::Fields urlencoded{{"Content-Type", "application/x-www-form-urlencoded; charset=utf-8"}};
    CHECK(form.outcome({.fields = urlencoded, .body = "a=1&token=t%2B1"}) == "found");
    CHECK(form.outcome({.fields = urlencoded, .body = "a=1"}) == "KEY_MISSING");
    CHECK(form.outcome({.fields = {{"Content-Type", "text/plain"}}, .body = "token=1"}) == "KEY_MISSING");

    OneRoute multipart;
    multipart.key_from({"multipart:token"});
    CHECK(multipart.outcome({.fields = {{"Content-Type", "multipart/form-data; boundary=b"}},
                             .body = "--b\r\nContent-Disposition: form-data; name=\"token\"\r\n\r\nk\r\n--b--\r\n"}) == "found");
    CHECK(multipart.outcome({.body = "x"}) == "KEY_MISSING");

    OneRoute path("/orders/{id}/pay");
    path.key_from({"path:id"});
    CHECK(path.id({.target = "/orders/a%62/pay"}) == path.id({.target = "/ORDERS/ab/pay/"}));
    CHECK(path.id({.target = "/orders/ab/pay"}) != path.id({.target = "/orders/AB/pay"}));

    OneRoute host;
    host.key_from({"host"});
    CHECK(host.outcome({}) == "found");
}

TEST_CASE("a key from a bearer token's claim") {
    OneRoute one;
    one.key_from({"jwt:jti"});
    CHECK(one.outcome({.fields = {{"Authorization", "Bearer a.eyJqdGkiOiJ4In0.s"}}}) == "found");  // {"jti":"x"}
    CHECK(one.outcome({.fields = {{"Authorization", "Bearer a.e30.s"}}}) == "KEY_MISSING");
    CHECK(one.outcome({.fields = {{"Authorization", "Bearer a.eyJqdGkiOnRydWV9.s"}}}) == "KEY_INVALID");  // {"jti":true}
    CHECK(one.outcome({.fields = {{"Authorization", "Bearer opaque"}}}) == "KEY_MISSING");
}

TEST_CASE("a derived key is the fingerprint, and stands in only where no key was sent") {
    OneRoute one;
    one.key_from({"header:Idempotency-Key", "derived"});
    CHECK(one.id({.body = "a"}) == one.id({.body = "a"}));
    CHECK(one.id({.body = "a"}) != one.id({.body = "b"}));
    CHECK(one.id({.fields = {{"Idempotency-Key", "k"}}, .body = "a"}) ==
          one.id({.fields = {{"Idempotency-Key", "k"}}, .body = "b"}));
}

TEST_CASE("a cloud event in binary mode may have an id of its own in its data") {
    OneRoute one;
    one.route().key.from = *request::preset("cloudevents");
    const auto binary = one.id({.fields = {{"ce-source", "/s"}, {"ce-id", "1"}}, .body = R"({"id":5})"});
    CHECK(one.id({.fields = {{"Content-Type", "application/cloudevents+json"}}, .body = R"({"source":"/s","id":"1"})"}) ==
          binary);
    CHECK(one.outcome({.fields = {{"ce-id", "1"}}}) == "KEY_INVALID");
    CHECK(one.outcome({.body = R"({"source":"/s","id":"1"})"}) == "KEY_MISSING");
}
