#include "request/form.hpp"

#include "catch.hpp"

using namespace onceward::request;

namespace {
struct Read {
    Presence presence;
    std::string value;
    bool operator==(const Read&) const = default;
};
Read form(std::string_view text, std::string_view name) {
    std::string value;
    const auto presence = read_form_field(text, name, value);
    return {presence, presence == Presence::present ? value : ""};
}
Read multipart(std::string_view body, std::string_view name, std::string_view type = "multipart/form-data; boundary=xx") {
    std::string value;
    const auto presence = read_multipart_field(type, body, name, value);
    return {presence, presence == Presence::present ? value : ""};
}
}  // namespace

TEST_CASE("a form field is decoded") {
    CHECK(form("a=1&token=t%2B1+x&b=2", "token") == Read{Presence::present, "t+1 x"});
    CHECK(form("to%6ben=1", "token") == Read{Presence::present, "1"});
    CHECK(form("&&token=a=b&", "token") == Read{Presence::present, "a=b"});
    CHECK(form("token=100%&x", "token") == Read{Presence::present, "100%"});
    CHECK(form("token=%zz%4", "token") == Read{Presence::present, "%zz%4"});
    CHECK(form("token", "token") == Read{Presence::present, ""});
    CHECK(form("token=", "token") == Read{Presence::present, ""});
    CHECK(form("tokens=1", "token") == Read{Presence::absent, ""});
    CHECK(form("", "token") == Read{Presence::absent, ""});
    CHECK(form("token=1&token=1", "token") == Read{Presence::invalid, ""});
    CHECK(form("token=1&%74oken=2", "token") == Read{Presence::invalid, ""});
}

TEST_CASE("a multipart field is its part's content") {
    const std::string body =
        "preamble\r\n--xx\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\nfirst\r\n--xx  \r\nX: y\r\n"
        "content-disposition: form-data; filename=\"n;a\\\"me=q\"; name=b\r\nContent-Type: "
        "text/plain\r\n\r\nse\r\n-cond\r\n\r\n--xx--\r\nrest";
    CHECK(multipart(body, "a") == Read{Presence::present, "first"});
    CHECK(multipart(body, "b") == Read{Presence::present, "se\r\n-cond\r\n"});
    CHECK(multipart(body, "c") == Read{Presence::absent, ""});
    CHECK(multipart(body.substr(10), "a") == Read{Presence::present, "first"});
    CHECK(multipart(body, "a", "multipart/form-data; x=1; Boundary=\"xx\"") == Read{Presence::present, "first"});
}

TEST_CASE("a multipart body that is broken or names the field twice is invalid") {
    const std::string part = "--xx\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n1\r\n";
    CHECK(multipart(part + part + "--xx--", "a") == Read{Presence::invalid, ""});
    CHECK(multipart(part, "a") == Read{Presence::invalid, ""});
    CHECK(multipart(part + "--xx", "a") == Read{Presence::invalid, ""});
    CHECK(multipart("--xx\r\nno head\r\n--xx--", "a") == Read{Presence::invalid, ""});
    CHECK(multipart("", "a") == Read{Presence::invalid, ""});
    CHECK(multipart("--xx--y", "a") == Read{Presence::invalid, ""});
    CHECK(multipart("--xxy\r\n\r\n\r\nv\r\n--xx--", "a") == Read{Presence::invalid, ""});
    CHECK(multipart(part + "--xx--", "a", "multipart/form-data") == Read{Presence::invalid, ""});
    CHECK(multipart("--xx--", "a") == Read{Presence::absent, ""});
}
