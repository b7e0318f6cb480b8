#include "admin/access.hpp"

#include "admin/site.hpp"
#include "catch.hpp"

using namespace onceward;
using namespace onceward::admin;

namespace {

const config::Address loopback{"127.0.0.1", 9901, {}};
const config::Address remote{"10.0.0.7", 9901, {}};
const config::Address unix_socket{{}, 0, "/run/onceward.sock"};

struct Field {
    const char* name;
    const char* value;
};

http::RequestHead head_of(const char* host, std::initializer_list<Field> fields = {}) {
    http::RequestHead head;
    head.method = "POST";
    head.host = host;
    for (const auto& field : fields) {
        head.headers.add(field.name, field.value);
    }
    return head;
}

bool is_refused(const http::RequestHead& head, const config::Address& address = loopback) {
    return cross_site_complaint(head, address).has_value();
}

}  // namespace

TEST_CASE("a loopback listener answers to loopback hosts only, whatever the port") {
    for (const auto* host : {"127.0.0.1:9901", "127.0.0.1", "localhost:1234", "LOCALHOST", "[::1]:9901", "127.9.9.9:1"}) {
        CAPTURE(host);
        CHECK_FALSE(is_refused(head_of(host)));
    }
    for (const auto* host : {"", "evil.example", "evil.example:9901", "127.0.0.1.evil.example", "localhost.evil.example:9901",
                             "10.0.0.7:9901", "[::2]:9901", "[", "0.0.0.0:9901"}) {
        CAPTURE(host);
        CHECK(is_refused(head_of(host)));
    }
}

TEST_CASE("a unix socket and an address with a token take any host") {
    CHECK_FALSE(is_refused(head_of("anything"), unix_socket));
    CHECK_FALSE(is_refused(head_of("admin.example"), remote));
}

TEST_CASE("a page of another site is refused, by Origin and by Sec-Fetch-Site") {
    const auto* host = "localhost:9901";
    CHECK_FALSE(is_refused(head_of(host, {{"Origin", "http://localhost:9901"}})));
    CHECK_FALSE(is_refused(head_of(host, {{"Origin", "http://LOCALHOST:9901"}, {"Sec-Fetch-Site", "same-origin"}})));
    CHECK_FALSE(is_refused(head_of(host, {{"Origin", "https://localhost:9901"}})));
    CHECK_FALSE(is_refused(head_of(host, {{"Sec-Fetch-Site", "none"}})));
    for (const auto* origin :
         {"null", "http://evil.example", "http://localhost:3000", "https://localhost", "ftp://localhost:9901", "", "http://"}) {
        CAPTURE(origin);
        CHECK(is_refused(head_of(host, {{"Origin", origin}})));
        CHECK(is_refused(head_of("admin.example:9901", {{"Origin", origin}}), remote));
    }
    CHECK(is_refused(head_of(host, {{"Sec-Fetch-Site", "cross-site"}})));
    CHECK(is_refused(head_of(host, {{"Sec-Fetch-Site", "same-site"}})));
    CHECK(is_refused(head_of(host, {{"Origin", "http://localhost:9901"}, {"Origin", "http://evil.example"}})));
}

TEST_CASE("content is JSON, or there is none") {
    auto head = head_of("localhost");
    CHECK_FALSE(content_type_complaint(head));
    head.framing = {http::BodyFraming::Kind::length, 2};
    CHECK(content_type_complaint(head));
    head.headers.add("Content-Type", "application/json; charset=utf-8");
    CHECK_FALSE(content_type_complaint(head));
    auto form = head_of("localhost", {{"Content-Type", "application/x-www-form-urlencoded"}});
    CHECK(content_type_complaint(form));
    form.framing = {http::BodyFraming::Kind::chunked, 0};
    CHECK(content_type_complaint(form));
    auto two = head_of("localhost", {{"Content-Type", "application/json"}, {"Content-Type", "text/plain"}});
    CHECK(content_type_complaint(two));
}

TEST_CASE("each page is found by its path, and says what it takes") {
    struct Row {
        const char* path;
        Page page;
        const char* id;
        const char* methods;
    };
    for (const auto& row :
         {Row{"/livez", Page::health, "", "GET, HEAD"}, Row{"/metrics", Page::health, "", "GET, HEAD"},
          Row{"/config", Page::config, "", "GET, HEAD"}, Row{"/log-level", Page::log_level, "", "GET, HEAD, PUT"},
          Row{"/reload", Page::reload, "", "POST"}, Row{"/records", Page::records, "", "GET, HEAD"},
          Row{"/records/lookup", Page::lookup, "", "GET, HEAD"}, Row{"/records/ab", Page::record, "ab", "GET, HEAD"},
          Row{"/records/ab/release", Page::release, "ab", "POST"}, Row{"/records/ab/resolve", Page::resolve, "ab", "POST"}}) {
        CAPTURE(row.path);
        const auto place = find_page(row.path);
        REQUIRE(place);
        CHECK(place->page == row.page);
        CHECK(place->id == row.id);
        CHECK(methods_of(place->page) == row.methods);
    }
    for (const auto* path : {"/", "/recordss", "/records/", "/records//release", "/records/ab/", "/records/ab/delete", "/config/",
                             "/records/ab/release/x", "*"}) {
        CAPTURE(path);
        CHECK_FALSE(find_page(path));
    }
    CHECK(is_allowed(Page::log_level, "PUT"));
    CHECK_FALSE(is_allowed(Page::log_level, "POST"));
    CHECK_FALSE(is_allowed(Page::release, "GET"));
    CHECK_FALSE(is_allowed(Page::release, "post"));
}
