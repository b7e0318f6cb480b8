// The reader that others are held against: what it takes for a message, where it ends, and what it refuses.

#include "strict_http.hpp"

#include "catch.hpp"

using namespace onceward::test;

namespace {

constexpr std::string_view get = "GET /a?b HTTP/1.1\r\nHost: h\r\n\r\n";

StrictRequest request_of(std::string_view text) {
    StrictReader reader(text);
    auto request = reader.next_request();
    REQUIRE(request);
    return *request;
}

StrictResponse response_of(std::string_view text, std::string_view method = "GET", StreamEnd end = StreamEnd::open) {
    StrictReader reader(text, end);
    auto response = reader.next_response(method);
    REQUIRE(response);
    return *response;
}

bool refuses_request(const std::string& text) {
    StrictReader reader(text);
    return !reader.next_request() && reader.malformed() && reader.rest() == text;
}

bool refuses_response(const std::string& text) {
    StrictReader reader(text, StreamEnd::closed);
    return !reader.next_response("GET") && reader.malformed();
}

std::string with_field(std::string_view line) {
    return "POST / HTTP/1.1\r\nHost: h\r\n" + std::string(line) + "\r\n\r\n";
}

std::string chunked(std::string_view content) {
    return "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n" + std::string(content);
}

}  // namespace

TEST_CASE("the strict reader takes a request apart") {
    const auto request = request_of("\r\nPOST /a?b HTTP/1.1\r\nHost: h:1\r\nX-A:\t one, two \r\nContent-Length: 3\r\n\r\nabcdef");
    CHECK(request.method == "POST");
    CHECK(request.target == "/a?b");
    CHECK(request.authority == "h:1");
    CHECK(request.content == "abc");
    CHECK(request.extent == Extent::whole);
    CHECK(field_value(request.fields, "x-a") == "one, two");
    CHECK(list_members(request.fields, "X-A") == std::vector<std::string>{"one", "two"});
}

TEST_CASE("the strict reader finds one request behind the other, and what is left") {
    const auto text = std::string(get) + "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 1\r\n\r\nx" + "GET /c HTT";
    StrictReader reader(text);
    CHECK(reader.next_request()->path == "/a?b");
    CHECK(reader.next_request()->content == "x");
    CHECK_FALSE(reader.next_request());
    CHECK_FALSE(reader.malformed());
    CHECK(reader.rest() == "GET /c HTT");
}

TEST_CASE("the strict reader reads nothing behind a connection's last request") {
    for (const std::string fields : {"Connection: x, close\r\n", "Content-Length: 9\r\n"}) {
        const auto text = "GET / HTTP/1.1\r\nHost: h\r\n" + fields + "\r\nGET / H";
        StrictReader reader(text);
        CHECK(reader.next_request());
        CHECK_FALSE(reader.next_request());
    }
    StrictReader old("GET / HTTP/1.0\r\n\r\nGET / HTTP/1.0\r\n\r\n");
    CHECK(old.next_request());
    CHECK_FALSE(old.next_request());
    StrictReader kept("GET / HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\nGET / HTTP/1.0\r\n\r\n");
    CHECK(kept.next_request());
    CHECK(kept.next_request());
}

TEST_CASE("the strict reader decodes chunks to their end") {
    const auto whole = request_of(chunked("3;a=\"b\"\r\nabc\r\n0A ;x\r\n0123456789\r\n000\r\nX-T: 1\r\n\r\nGET"));
    CHECK(whole.extent == Extent::whole);
    CHECK(whole.content == "abc0123456789");
    CHECK(whole.trailers == StrictFields{{"X-T", "1"}});
    for (const std::string_view cut :
         {"", "3", "3\r", "3\r\nab", "3\r\nabc", "3\r\nabc\r", "3\r\nabc\r\n0\r\n", "0\r\nX: 1\r\n"}) {
        CAPTURE(cut);
        CHECK(request_of(chunked(cut)).extent == Extent::cut);
    }
    for (const std::string_view broken :
         {"\r\n", "x\r\n", "-1\r\n", "0x3\r\n", "3\n", "3 \r\nabc", "3\r\nabcd\r\n", "3\r\nabc\n", "8000000000000000\r\n",
          "3;\x01\r\n", "3;a\n", "0\r\nX : 1\r\n\r\n", "0\r\nX\r\n\r\n", "0\r\n X: 1\r\n\r\n"}) {
        CAPTURE(broken);
        CHECK(request_of(chunked(broken)).extent == Extent::broken);
    }
}

TEST_CASE("the strict reader reads each form of a target") {
    const auto absolute = request_of("GET HTTP://other:1?q HTTP/1.1\r\nHost: h\r\n\r\n");
    CHECK(absolute.path == "/?q");
    CHECK(absolute.authority == "other:1");
    CHECK(request_of("OPTIONS http://other HTTP/1.1\r\nHost: h\r\n\r\n").path == "*");
    CHECK(request_of("OPTIONS * HTTP/1.1\r\nHost: h\r\n\r\n").path == "*");
    for (const std::string line :
         {"GET * HTTP/1.1", "GET a HTTP/1.1", "GET h:1 HTTP/1.1", "CONNECT h:1 HTTP/1.1", "GET http:///a HTTP/1.1",
          "GET http://u@h/ HTTP/1.1", "GET ftp://h/ HTTP/1.1", "GET /#a HTTP/1.1", "GET /a b HTTP/1.1", "GET  / HTTP/1.1",
          "GET /\xc3 HTTP/1.1", "G(T / HTTP/1.1", "GET / HTTP/1.2", "GET / HTTP/2.0", "GET / http/1.1", "GET /",
          " GET / HTTP/1.1"}) {
        CAPTURE(line);
        CHECK(refuses_request(line + "\r\nHost: h\r\n\r\n"));
    }
}

TEST_CASE("the strict reader refuses a request with an unclear end or host") {
    for (const std::string_view line :
         {"Content-Length: 1\r\nContent-Length: 1", "Content-Length: 1, 1", "Content-Length: +1",
          "Content-Length:", "Content-Length: 9223372036854775808", "Content-Length: 1\r\nTransfer-Encoding: chunked",
          "Transfer-Encoding: gzip, chunked", "Transfer-Encoding: identity",
          "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked", "Transfer-Encoding:", "Host: h", "X : 1", "X: 1\r\n folded",
          "X: \x01", "X: a\rb", "X: a\nb", ": x", "X"}) {
        CAPTURE(line);
        CHECK(refuses_request(with_field(line)));
    }
    for (const std::string host : {"", "Host: a b", "Host: a/b", "Host: [::1", "Host: a:b"}) {
        CAPTURE(host);
        CHECK(refuses_request("GET / HTTP/1.1\r\n" + host + (host.empty() ? "\r\n" : "\r\n\r\n")));
    }
    CHECK(refuses_request("POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n"));
    CHECK(refuses_request("\r\n\r\n" + std::string(get)));
    CHECK(refuses_request("GET / HTTP/1.1\nHost: h\n\n"));
}

TEST_CASE("the strict reader finds the end of an answer by its status, method and fields") {
    const std::string length = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nabcd";
    CHECK(response_of(length).content == "ab");
    CHECK(response_of(length, "HEAD").content.empty());
    CHECK(response_of("HTTP/1.1 304 Not Modified\r\nContent-Length: 2\r\n\r\nab").content.empty());
    CHECK(response_of("HTTP/1.1 200 \r\nContent-Length: 2, 2\r\n\r\na").extent == Extent::cut);
    const std::string open = "HTTP/1.1 200\r\n\r\nabc";
    CHECK(response_of(open).extent == Extent::cut);
    CHECK(response_of(open, "GET", StreamEnd::reset).extent == Extent::cut);
    const auto closed = response_of(open, "GET", StreamEnd::closed);
    CHECK(closed.extent == Extent::whole);
    CHECK(closed.content == "abc");
}

TEST_CASE("the strict reader goes from interim answers to the final one") {
    StrictReader reader(
        "HTTP/1.1 103 Early\r\nConnection: close\r\n\r\nHTTP/1.1 204 No Content\r\n\r\nHTTP/1.1 101 Switching\r\n\r\nraw");
    CHECK(reader.next_response("GET")->status == 103);
    CHECK(reader.next_response("GET")->reason == "No Content");
    CHECK(reader.next_response("GET")->status == 101);
    CHECK(reader.rest() == "raw");
    CHECK_FALSE(reader.next_response("GET"));
}

TEST_CASE("the strict reader refuses an answer that is none") {
    for (const std::string line : {"HTTP/1.1 20 OK", "HTTP/1.1 2000 OK", "HTTP/1.1  200 OK", "HTTP/1.2 200 OK", "HTTP/1.1 099 OK",
                                   "ICY 200 OK", "HTTP/1.1 200 a\x01"}) {
        CAPTURE(line);
        CHECK(refuses_response(line + "\r\nContent-Length: 0\r\n\r\n"));
    }
    for (const std::string line :
         {"Content-Length: 1\r\nContent-Length: 2", "Content-Length: 1, 2", "Content-Length: 1\r\nTransfer-Encoding: chunked",
          "Transfer-Encoding: gzip", "X: 1\r\n folded", "X : 1"}) {
        CAPTURE(line);
        CHECK(refuses_response("HTTP/1.1 200 OK\r\n" + line + "\r\n\r\n"));
    }
    CHECK(refuses_response("HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"));
}
