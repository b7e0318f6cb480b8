#include "catch.hpp"
#include "onceward/http/date.hpp"
#include "onceward/http/field_kind.hpp"
#include "onceward/http/request_id.hpp"
#include "onceward/http/trace.hpp"

#include <array>
#include <chrono>
#include <string>

using namespace onceward::http;
using std::chrono::seconds;
using std::chrono::sys_seconds;

TEST_CASE("fields with a rule are known by name, without case") {
    CHECK(classify("TE") == FieldKind::te);
    CHECK(classify("Via") == FieldKind::via);
    CHECK(classify("HOST") == FieldKind::host);
    CHECK(classify("connection") == FieldKind::connection);
    CHECK(classify("Keep-Alive") == FieldKind::hop_by_hop);
    CHECK(classify("Proxy-Connection") == FieldKind::hop_by_hop);
    CHECK(classify("Trailer") == FieldKind::hop_by_hop);
    CHECK(classify("Content-Length") == FieldKind::content_length);
    CHECK(classify("transfer-ENCODING") == FieldKind::transfer_encoding);
    CHECK(classify("Max-Forwards") == FieldKind::max_forwards);
    CHECK(classify("X-Forwarded-Proto") == FieldKind::x_forwarded_proto);
    CHECK(classify("X-Forwarded-Port") == FieldKind::x_forwarded_other);
    CHECK(classify("X_Forwarded_For") == FieldKind::x_forwarded_other);
    CHECK(classify("idempotency_operation-ID") == FieldKind::claim);
    CHECK(classify("Idempotency-Original-Date") == FieldKind::idempotency_own);
    CHECK(classify("Idempotency-Key") == FieldKind::other);
    CHECK(classify("Access-Control-Allow-Origin") == FieldKind::access_control);
    CHECK(classify("Content_Length") == FieldKind::other);
    CHECK(classify("Content-Type") == FieldKind::other);
    CHECK(classify("x") == FieldKind::other);
    CHECK(classify("") == FieldKind::other);
}

TEST_CASE("dates are IMF-fixdates") {
    const auto text = [](long long time) {
        std::string out;
        append_date(out, sys_seconds(seconds(time)));
        return out;
    };
    CHECK(text(784111777) == "Sun, 06 Nov 1994 08:49:37 GMT");
    CHECK(text(0) == "Thu, 01 Jan 1970 00:00:00 GMT");
    CHECK(text(951782400) == "Tue, 29 Feb 2000 00:00:00 GMT");
    CHECK(text(4102444799) == "Thu, 31 Dec 2099 23:59:59 GMT");
    DateCache cache;
    CHECK(cache.at(sys_seconds(seconds(784111777))) == "Sun, 06 Nov 1994 08:49:37 GMT");
    CHECK(cache.at(sys_seconds(seconds(784111777))) == "Sun, 06 Nov 1994 08:49:37 GMT");
    CHECK(cache.at(sys_seconds(seconds(784111778))) == "Sun, 06 Nov 1994 08:49:38 GMT");
}

TEST_CASE("a trace id is taken from a valid traceparent alone") {
    const std::string id = "4bf92f3577b34da6a3ce929d0e0e4736";
    CHECK(trace_id("00-" + id + "-00f067aa0ba902b7-01") == id);
    CHECK(trace_id("01-" + id + "-00f067aa0ba902b7-01-more") == id);
    CHECK(trace_id("00-" + id + "-00f067aa0ba902b7-01-more").empty());
    CHECK(trace_id("01-" + id + "-00f067aa0ba902b7-01more").empty());
    CHECK(trace_id("ff-" + id + "-00f067aa0ba902b7-01").empty());
    CHECK(trace_id("00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01").empty());
    CHECK(trace_id("00-00000000000000000000000000000000-00f067aa0ba902b7-01").empty());
    CHECK(trace_id("00-" + id + "-0000000000000000-01").empty());
    CHECK(trace_id("00-" + id + "-00f067aa0ba902b7-0g").empty());
    CHECK(trace_id("00_" + id + "-00f067aa0ba902b7-01").empty());
    CHECK(trace_id("junk").empty());
    HeaderList headers;
    headers.add("Traceparent", "00-" + id + "-00f067aa0ba902b7-01");
    CHECK(trace_id(headers) == id);
    headers.add("traceparent", "00-" + id + "-00f067aa0ba902b7-01");
    CHECK(trace_id(headers).empty());
}

TEST_CASE("a request id is taken when it is one, short and printable") {
    const auto id_of = [](std::initializer_list<std::string> values) {
        HeaderList headers;
        for (const auto& value : values) {
            headers.add("x-request-ID", value);
        }
        return std::string(request_id(headers));
    };
    CHECK(id_of({"client-1"}) == "client-1");
    CHECK(id_of({std::string(128, 'a')}) == std::string(128, 'a'));
    CHECK(id_of({R"(~!"\{}=,;)"}) == R"(~!"\{}=,;)");
    CHECK(id_of({}).empty());
    CHECK(id_of({""}).empty());
    CHECK(id_of({std::string(129, 'a')}).empty());
    CHECK(id_of({"a b"}).empty());
    CHECK(id_of({"a\tb"}).empty());
    CHECK(id_of({"caf\xe9"}).empty());
    CHECK(id_of({"a\x7f"}).empty());
    CHECK(id_of({"a", "a"}).empty());
}

TEST_CASE("a new request id is 32 hexadecimal digits") {
    std::array<std::uint8_t, 16> random{};
    random[0] = 0xab;
    std::string text = "before";
    make_request_id(text, random);
    CHECK(text == "ab000000000000000000000000000000");
}

TEST_CASE("a new traceparent is valid, whatever the random bytes are") {
    std::array<std::uint8_t, 24> random{};
    std::string text = "old";
    make_traceparent(text, random);
    CHECK(text == "00-00000000000000000000000000000001-0000000000000001-01");
    CHECK_FALSE(trace_id(text).empty());
    random.fill(0xab);
    make_traceparent(text, random);
    CHECK(text == "00-abababababababababababababababab-abababababababab-01");
}
