#include "config/address.hpp"

#include "catch.hpp"
#include "config/ip.hpp"

using namespace onceward::config;

namespace {

const std::filesystem::path directory = "/etc/onceward";

template <typename T>
std::string refused(const Parsed<T>& parsed) {
    const auto* complaint = std::get_if<Complaint>(&parsed);
    return complaint != nullptr ? complaint->message : "";
}

}  // namespace

TEST_CASE("an address is host and port, or a unix socket") {
    struct Row {
        std::string text;
        std::string value;
    };
    const auto row = GENERATE(values<Row>({{"0.0.0.0:8080", "0.0.0.0:8080"},
                                           {"localhost:1", "localhost:1"},
                                           {"my-host.example:65535", "my-host.example:65535"},
                                           {"[::1]:80", "[::1]:80"},
                                           {"[fe80::1:2]:80", "[fe80::1:2]:80"},
                                           {"unix:/run/o.sock", "unix:/run/o.sock"},
                                           {"unix:o.sock", "unix:/etc/onceward/o.sock"},
                                           {"unix:../o.sock", "unix:/etc/o.sock"}}));
    CAPTURE(row.text);
    const auto parsed = parse_address(row.text, directory);
    REQUIRE(refused(parsed).empty());
    CHECK(to_text(std::get<Address>(parsed)) == row.value);
}

TEST_CASE("what is not an address is refused") {
    const auto text = GENERATE(values<std::string>({"",
                                                    ":",
                                                    "8080",
                                                    ":8080",
                                                    "localhost",
                                                    "localhost:",
                                                    "localhost:0",
                                                    "localhost:65536",
                                                    "localhost:+1",
                                                    "localhost:80x",
                                                    "a b:80",
                                                    "a_:80:90",
                                                    "::1:80",
                                                    "[::1]",
                                                    "[::1:80",
                                                    "[::1]80",
                                                    "[1.2.3.4]:80",
                                                    "300.1.1.1:80",
                                                    "1.2.3:80",
                                                    "1.2.3.4.5:80",
                                                    "01.2.3.4:80",
                                                    "*:80",
                                                    "http://a:80",
                                                    "a..b:80",
                                                    "-a:80",
                                                    "unix:",
                                                    "unix:/",
                                                    "unix:/run/"}));
    CAPTURE(text);
    CHECK(refused(parse_address(text, directory)).find("expected") != std::string::npos);
    CHECK(refused(parse_address("unix:/" + std::string(107, 'a'), directory)).find("longer than 107") != std::string::npos);
}

TEST_CASE("an upstream is a host with a port, or a unix socket") {
    struct Row {
        std::string text;
        std::string address;
    };
    const auto row = GENERATE(values<Row>({{"http://127.0.0.1:3000", "127.0.0.1:3000"},
                                           {"http://orders", "orders:80"},
                                           {"https://orders", "orders:443"},
                                           {"HTTP://orders/", "orders:80"},
                                           {"http://[::1]", "[::1]:80"},
                                           {"http://[::1]:81/", "[::1]:81"},
                                           {"unix:/run/app.sock", "unix:/run/app.sock"},
                                           {"unix:app.sock", "unix:/etc/onceward/app.sock"}}));
    CAPTURE(row.text);
    const auto parsed = parse_upstream_url(row.text, directory);
    REQUIRE(refused(parsed).empty());
    CHECK(to_text(std::get<Upstream>(parsed).address) == row.address);
}

TEST_CASE("what is not an upstream is refused") {
    struct Row {
        std::string text;
        std::string reason;
    };
    const auto row = GENERATE(values<Row>({{"", "is no upstream"},
                                           {"127.0.0.1:3000", "is no upstream"},
                                           {"http:127.0.0.1", "is no upstream"},
                                           {"ftp://a", "is no upstream"},
                                           {"http://", "no valid host"},
                                           {"http://a/api", "more than a host and a port"},
                                           {"http://a?x", "more than a host and a port"},
                                           {"http://u:p@a", "more than a host and a port"},
                                           {"http://a:0", "no port from 1 to 65535"},
                                           {"http://a:", "no port from 1 to 65535"}}));
    CAPTURE(row.text);
    CHECK(refused(parse_upstream_url(row.text, directory)).find(row.reason) != std::string::npos);
}

TEST_CASE("a network is an address with a number of bits, the bits behind it cleared") {
    struct Row {
        std::string text;
        std::string value;
    };
    const auto row = GENERATE(values<Row>({{"10.0.0.0/8", "10.0.0.0/8"},
                                           {"10.1.2.3/8", "10.0.0.0/8"},
                                           {"10.255.2.3/9", "10.128.0.0/9"},
                                           {"127.0.0.1", "127.0.0.1/32"},
                                           {"0.0.0.0/0", "0.0.0.0/0"},
                                           {"fd00::/8", "fd00:0000:0000:0000:0000:0000:0000:0000/8"},
                                           {"::1", "0000:0000:0000:0000:0000:0000:0000:0001/128"},
                                           {"::/0", "0000:0000:0000:0000:0000:0000:0000:0000/0"},
                                           {"1:2:3:4:5:6:7:8/64", "0001:0002:0003:0004:0000:0000:0000:0000/64"},
                                           {"1::8/128", "0001:0000:0000:0000:0000:0000:0000:0008/128"},
                                           {"::ffff:1.2.3.4/128", "1.2.3.4/32"}}));
    CAPTURE(row.text);
    const auto parsed = parse_cidr(row.text);
    REQUIRE(refused(parsed).empty());
    CHECK(to_text(std::get<Cidr>(parsed)) == row.value);
    CHECK(to_text(std::get<Cidr>(parse_cidr(row.value))) == row.value);
}

TEST_CASE("what is not a network is refused") {
    const auto text = GENERATE(values<std::string>({"",
                                                    "10.0.0.0/33",
                                                    "10.0.0/8",
                                                    "10.0.0.0/",
                                                    "10.0.0.0/-1",
                                                    "localhost/8",
                                                    "fd00::/129",
                                                    "1:2:3:4:5:6:7/64",
                                                    "1:2:3:4:5:6:7:8:9",
                                                    ":::/8",
                                                    "1::2::3",
                                                    "12345::/16",
                                                    "1:/16",
                                                    ":1/16",
                                                    "g::/8",
                                                    "1:2:3:4:5:6:7:1.2.3.4",
                                                    "::1.2.3.4:5",
                                                    "fe80::1%eth0",
                                                    "010.0.0.0/8",
                                                    "/8"}));
    CAPTURE(text);
    CHECK(!refused(parse_cidr(text)).empty());
}
