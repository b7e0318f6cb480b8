#include "request/media_type.hpp"

#include "catch.hpp"
#include "request/jwt.hpp"

using namespace onceward::request;

TEST_CASE("a media type is read without its parameters") {
    CHECK(media_type(" text/html ; charset=utf-8") == "text/html");
    CHECK(media_type("") == "");
    CHECK(media_parameter("a/b;x=1; y = \"2;\\\"3\" ;z=4", "y") == "2;\"3");
    CHECK(media_parameter("a/b;x=1; y=\"2;\" ;Z= 4 ", "z") == "4");
    CHECK_FALSE(media_parameter("a/b; x=1", "y"));
    CHECK_FALSE(media_parameter("a/b; y", "y"));
    CHECK_FALSE(media_parameter("a/b", "b"));
}

TEST_CASE("JSON types are application/json and +json") {
    CHECK(is_json_type("Application/JSON; charset=utf-8"));
    CHECK(is_json_type("application/cloudevents+json"));
    CHECK_FALSE(is_json_type("application/jsonp"));
    CHECK_FALSE(is_json_type("text/plain"));
    CHECK_FALSE(is_json_type("+json"));
}

TEST_CASE("the claims of a bearer token are its middle part") {
    CHECK(bearer_claims("Bearer aa.eyJzdWIiOiJhbGljZT8-In0.sig") == "{\"sub\":\"alice?>\"}");
    CHECK(bearer_claims("bearer aa.e30.") == "{}");
    for (const std::string_view other :
         {"", "Basic aa.e30.b", "Bearer opaque", "Bearer a.e30", "Bearer a.e30.b.c", "Bearer a.e3+.b"}) {
        CHECK_FALSE(bearer_claims(other));
    }
}
