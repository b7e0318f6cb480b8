#include "onceward/base/base64.hpp"

#include "catch.hpp"

#include <string>

using namespace onceward::base;

TEST_CASE("Base64 is that of RFC 4648, with its padding") {
    struct Row {
        const char* bytes;
        const char* text;
    };
    for (const auto& row : {Row{"", ""}, Row{"f", "Zg=="}, Row{"fo", "Zm8="}, Row{"foo", "Zm9v"}, Row{"foobar", "Zm9vYmFy"}}) {
        CHECK(to_base64(row.bytes) == row.text);
        CHECK(from_base64(row.text) == row.bytes);
    }
    const std::string all("\x00\xff\x7f\x80", 4);
    CHECK(from_base64(to_base64(all)) == all);
    for (const auto* text : {"Z", "Zg", "Zg=", "Zg===", "Z===", "====", "Zh==", "Zm9=v", "Zm9v\n", "Zm-v"}) {
        CAPTURE(text);
        CHECK_FALSE(from_base64(text));
    }
}

TEST_CASE("Base64 for urls has no padding and digits of its own") {
    const std::string all("\x00\xff\x7f\xbf", 4);
    CHECK(from_base64url("AP9_vw") == all);
    CHECK(from_base64url("eyJqdGkiOiJrIn0") == R"({"jti":"k"})");
    CHECK(from_base64url("") == "");
    for (const auto* text : {"A", "AP9_v", "AP9_vx", "AP9/vw", "AP9_vw==", "AP9_vw\n"}) {
        CAPTURE(text);
        CHECK_FALSE(from_base64url(text));
    }
}
