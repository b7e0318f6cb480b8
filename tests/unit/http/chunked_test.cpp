#include "onceward/http/chunked.hpp"

#include "catch.hpp"

#include <string>

using namespace onceward::http;

TEST_CASE("chunks are written with their size and end") {
    std::string out;
    append_chunk(out, "hello world, hello");
    append_chunk(out, "");
    append_chunk_header(out, 0xffffffffffffffffU);
    CHECK(out == "12\r\nhello world, hello\r\nffffffffffffffff\r\n");
}

TEST_CASE("of trailers only those go on that decide nothing") {
    HeaderList trailers;
    for (const auto* name :
         {"X-Sum", "Content-Length", "Transfer-Encoding", "Host", "Authorization", "Idempotency-Key", "X-Forwarded-For", "Cookie",
          "Content-Type", "Connection", "Idempotency_Operation_Id", "Idempotency-Status", "Expect", "TE", "Set-Cookie", "Trailer",
          "Via", "Forwarded", "Server-Timing"}) {
        trailers.add(name, "1");
    }
    std::string out;
    append_last_chunk(out, {trailers, {}});
    CHECK(out == "0\r\nX-Sum: 1\r\nServer-Timing: 1\r\n\r\n");
}

TEST_CASE("trailers that Connection names do not go on") {
    HeaderList head;
    head.add("Connection", "x-sum, close");
    head.add("Connection", "X-Other");
    HeaderList trailers;
    for (const auto* name : {"X-Sum", "Close", "X-Kept", "X-OTHER"}) {
        trailers.add(name, "1");
    }
    std::string out;
    append_last_chunk(out, {trailers, head});
    CHECK(out == "0\r\nX-Kept: 1\r\n\r\n");
}

TEST_CASE("trailers of Onceward's own stand behind the last chunk") {
    std::string out;
    append_last_chunk(out, "Idempotency-Recorded: false\r\n");
    append_last_chunk(out, "");
    CHECK(out == "0\r\nIdempotency-Recorded: false\r\n\r\n0\r\n\r\n");
}
