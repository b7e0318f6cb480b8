#include "onceward/route/target.hpp"

#include "catch.hpp"

using namespace onceward::route;

namespace {
std::string normal(std::string_view path, PathParameters parameters = PathParameters::dropped,
                   PathCase path_case = PathCase::kept) {
    std::string out;
    append_normalised_path(out, path, parameters, path_case);
    return out;
}

struct Row {
    std::string_view path;
    std::string_view dropped;  ///< without ;params
    std::string_view kept;
};

const Row rows[] = {
    // percent-decoded unreserved characters
    {"/api/%6frders", "/api/orders", "/api/orders"},
    {"/api/%6Frders", "/api/orders", "/api/orders"},
    {"/%7euser/%2D%5f", "/~user/-_", "/~user/-_"},
    {"/a%2fb%5c%40", "/a%2Fb%5C%40", "/a%2Fb%5C%40"},
    {"/api%252forders", "/api%252forders", "/api%252forders"},
    {"/a@b:c!$&'()*+,=", "/a@b:c!$&'()*+,=", "/a@b:c!$&'()*+,="},
    // dot segments removed, also encoded
    {"/api/x/../orders", "/api/orders", "/api/orders"},
    {"/api/./orders", "/api/orders", "/api/orders"},
    {"/./api/orders/.", "/api/orders", "/api/orders"},
    {"/api/orders/x/..", "/api/orders", "/api/orders"},
    {"/api/%2e%2e/api/%2E/orders", "/api/orders", "/api/orders"},
    {"/../../api/orders", "/api/orders", "/api/orders"},
    {"/api/x/..;p=1/orders", "/api/orders", "/api/orders"},
    {"/a/.../b", "/a/.../b", "/a/.../b"},
    {"/..", "/", "/"},
    // slash runs merged
    {"///api///orders", "/api/orders", "/api/orders"},
    // one trailing slash ignored
    {"/api/orders/", "/api/orders", "/api/orders"},
    {"/api/orders//", "/api/orders", "/api/orders"},
    {"/", "/", "/"},
    {"", "/", "/"},
    {"//", "/", "/"},
    // ;params ignored
    {"/api/orders;a=b", "/api/orders", "/api/orders;a=b"},
    {"/api;p=1/orders", "/api/orders", "/api;p=1/orders"},
    {"/api/orders;", "/api/orders", "/api/orders;"},
    {"/;x/api/orders", "/api/orders", "/;x/api/orders"},
    {"/api/orders;a=%6f;b", "/api/orders", "/api/orders;a=o;b"},
    // what may not stand in a path is escaped, so that one path has one spelling
    {"/caf\xc3\xa9", "/caf%C3%A9", "/caf%C3%A9"},
    {"/caf%c3%a9", "/caf%C3%A9", "/caf%C3%A9"},
    {"/a b|c\\d", "/a%20b%7Cc%5Cd", "/a%20b%7Cc%5Cd"},
    {"/100%/%zz/%4", "/100%25/%25zz/%254", "/100%25/%25zz/%254"},
    {"/%%32f", "/%252f", "/%252f"},
    {"*", "*", "*"},
};
}  // namespace

TEST_CASE("a path has one normal form") {
    for (const auto& row : rows) {
        INFO(row.path);
        CHECK(normal(row.path) == row.dropped);
        CHECK(normal(row.path, PathParameters::kept) == row.kept);
    }
}

TEST_CASE("the normal form of a normal form is itself") {
    for (const auto& row : rows) {
        CHECK(normal(row.dropped) == row.dropped);
        CHECK(normal(row.kept, PathParameters::kept) == row.kept);
    }
}

TEST_CASE("folding lowers letters and keeps escapes in upper case") {
    CHECK(normal("/API/Orders", PathParameters::dropped, PathCase::folded) == "/api/orders");
    CHECK(normal("/API/%4Frders/%c3%A9;Q=A", PathParameters::kept, PathCase::folded) == "/api/orders/%C3%A9;q=a");
    std::string path = "/API/%C3%A9/X";
    fold_path(path, 4);
    CHECK(path == "/API/%C3%A9/x");
}

TEST_CASE("a normal path is appended behind what is there") {
    std::string out = "GET ";
    append_normalised_path(out, "/../a/../b", PathParameters::dropped, PathCase::kept);
    CHECK(out == "GET /b");
}

TEST_CASE("a normalised target has its ;params and its query as received") {
    CHECK(normalised_target("/API//orders;a=1/", "B=%6f&b", PathCase::folded) == "/api/orders;a=1?B=%6f&b");
    CHECK(normalised_target("/API", "", PathCase::kept) == "/API");
}
