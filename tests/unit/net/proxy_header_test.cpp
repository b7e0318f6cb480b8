#include "net/proxy_header.hpp"

#include "catch.hpp"

#include <string>
#include <utility>

using namespace onceward;
using State = net::ProxyHeader::State;

namespace {

const std::string signature("\r\n\r\n\0\r\nQUIT\n", 12);
const std::string v4_block("\xc0\x00\x02\x07\x7f\x00\x00\x01\xdc\x04\x01\xbb", 12);  // 192.0.2.7:56324 to 127.0.0.1:443

std::string block(int command, int kind, const std::string& rest) {
    std::string out = signature;
    out += static_cast<char>(command);
    out += static_cast<char>(kind);
    out += static_cast<char>(rest.size() >> 8U);
    out += static_cast<char>(rest.size() & 0xffU);
    return out + rest;
}

std::string v6_block() {
    const std::string address("\x20\x01\x0d\xb8\0\0\0\0\0\0\0\0\0\0\0\x01", 16);
    return address + address + std::string("\x00\x50\x01\xbb", 4);
}

std::string entry(int type, const std::string& value) {
    std::string out(1, static_cast<char>(type));
    out += static_cast<char>(value.size() >> 8U);
    out += static_cast<char>(value.size() & 0xffU);
    return out + value;
}

/// `done 192.0.2.7`, `done -` where the socket's peer stays, `more` or `malformed`.
std::string outcome(const std::string& bytes) {
    const auto header = net::parse_proxy_header(bytes);
    switch (header.state) {
        case State::need_more:
            return "more";
        case State::malformed:
            return "malformed";
        case State::done:
            break;
    }
    return "done " + (header.client ? header.client->to_string() : "-");
}

}  // namespace

TEST_CASE("a line of the PROXY protocol names the client") {
    const auto row = GENERATE(values<std::pair<std::string, std::string>>({
        {"PROXY TCP4 192.0.2.7 127.0.0.1 56324 443\r\n", "done 192.0.2.7"},
        {"PROXY TCP4 255.255.255.255 255.255.255.255 65535 65535\r\n", "done 255.255.255.255"},
        {"PROXY TCP4 1.2.3.4 5.6.7.8 0 0\r\n", "done 1.2.3.4"},
        {"PROXY TCP6 2001:db8::1 ::1 1 2\r\n", "done 2001:db8::1"},
        {"PROXY TCP6 ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff 65535 65535\r\n",
         "done ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"},
        {"PROXY TCP6 ::ffff:192.0.2.7 ::1 1 2\r\n", "done ::ffff:192.0.2.7"},
        {"PROXY UNKNOWN\r\n", "done -"},
        {"PROXY UNKNOWN whatever stands here 1 2 3\r\n", "done -"},
    }));
    CAPTURE(row.first);
    CHECK(outcome(row.first) == row.second);
    CHECK(net::parse_proxy_header(row.first + "GET / HTTP/1.1\r\n").size == row.first.size());
}

TEST_CASE("a line that is not to the letter is malformed") {
    const auto text = GENERATE(values<std::string>({
        "PROXY TCP4 192.0.2.7 127.0.0.1 56324\r\n",
        "PROXY TCP4 192.0.2.7 127.0.0.1 56324 443 1\r\n",
        "PROXY TCP4 192.0.2.7 127.0.0.1 56324 443 \r\n",
        "PROXY TCP4  192.0.2.7 127.0.0.1 56324 443\r\n",
        "PROXY TCP4\t192.0.2.7 127.0.0.1 56324 443\r\n",
        "PROXY TCP4 192.0.2.7 127.0.0.1 65536 443\r\n",
        "PROXY TCP4 192.0.2.7 127.0.0.1 56324 99999999999999999999\r\n",
        "PROXY TCP4 192.0.2.7 127.0.0.1 -1 443\r\n",
        "PROXY TCP4 192.0.2.7 127.0.0.1 +1 443\r\n",
        "PROXY TCP4 192.0.2.7 127.0.0.1 01 443\r\n",
        "PROXY TCP4 192.0.2.7 127.0.0.1 1x 443\r\n",
        "PROXY TCP4 192.0.2 127.0.0.1 1 443\r\n",
        "PROXY TCP4 192.0.2.256 127.0.0.1 1 443\r\n",
        "PROXY TCP4 192.0.2.7 localhost 1 443\r\n",
        "PROXY TCP4 2001:db8::1 ::1 1 2\r\n",
        "PROXY TCP6 192.0.2.7 127.0.0.1 1 2\r\n",
        "PROXY TCP6 fe80::1%eth0 ::1 1 2\r\n",
        "PROXY TCP6 2001:db8:::1 ::1 1 2\r\n",
        "PROXY UDP4 192.0.2.7 127.0.0.1 1 2\r\n",
        "PROXY tcp4 192.0.2.7 127.0.0.1 1 2\r\n",
        "PROXY UNKNOWNX\r\n",
        "PROXY \r\n",
        "PROXY TCP4 192.0.2.7 127.0.0.1 56324 443\n",
        "PROXY UNKNOWN \r \r\n",
        "proxy TCP4 192.0.2.7 127.0.0.1 1 2\r\n",
        "GET / HTTP/1.1\r\n",
        " PROXY UNKNOWN\r\n",
        "\n",
    }));
    CAPTURE(text);
    CHECK(outcome(text) == "malformed");
}

TEST_CASE("a line is 107 bytes long at most") {
    const std::string start = "PROXY UNKNOWN ";
    const auto line = [&](std::size_t size) { return start + std::string(size - start.size() - 2, 'x') + "\r\n"; };
    CHECK(outcome(line(107)) == "done -");
    CHECK(outcome(line(108)) == "malformed");
    CHECK(outcome(start + std::string(106 - start.size(), 'x')) == "more");
    CHECK(outcome(start + std::string(107 - start.size(), 'x')) == "malformed");
}

TEST_CASE("a block of version 2 names the client") {
    CHECK(outcome(block(0x21, 0x11, v4_block)) == "done 192.0.2.7");
    CHECK(outcome(block(0x21, 0x21, v6_block())) == "done 2001:db8::1");
    CHECK(outcome(block(0x21, 0x31, std::string(216, 'u'))) == "done -");
    CHECK(outcome(block(0x21, 0x00, "")) == "done -");
    CHECK(outcome(block(0x21, 0x00, "of no known form")) == "done -");
    CHECK(outcome(block(0x21, 0x12, v4_block)) == "done -");  // datagrams can't be what this connection carries
    CHECK(outcome(block(0x20, 0x00, "")) == "done -");
    CHECK(outcome(block(0x20, 0x11, v4_block)) == "done -");
    CHECK(outcome(block(0x20, 0xff, "ignored")) == "done -");
    CHECK(net::parse_proxy_header(block(0x21, 0x11, v4_block) + "GET").size == 28);
}

TEST_CASE("a block that contradicts itself is malformed") {
    CHECK(outcome(block(0x21, 0x11, v4_block.substr(1))) == "malformed");
    CHECK(outcome(block(0x21, 0x21, v6_block().substr(1))) == "malformed");
    CHECK(outcome(block(0x21, 0x21, v4_block)) == "malformed");
    CHECK(outcome(block(0x21, 0x31, std::string(215, 'u'))) == "malformed");
    CHECK(outcome(block(0x21, 0x41, v4_block)) == "malformed");
    CHECK(outcome(block(0x21, 0x13, v4_block)) == "malformed");
    CHECK(outcome(block(0x22, 0x11, v4_block)) == "malformed");
    CHECK(outcome(block(0x11, 0x11, v4_block)) == "malformed");
    CHECK(outcome(block(0x31, 0x11, v4_block)) == "malformed");
    auto other = block(0x21, 0x11, v4_block);
    other[11] = '\r';
    CHECK(outcome(other) == "malformed");
}

TEST_CASE("entries behind the addresses are whole, and their checksum is right") {
    CHECK(outcome(block(0x21, 0x11, v4_block + entry(0x04, "") + entry(0x05, "id"))) == "done 192.0.2.7");
    CHECK(outcome(block(0x21, 0x11, v4_block + "\x04")) == "malformed");
    CHECK(outcome(block(0x21, 0x11, v4_block + std::string("\x04\x00", 2))) == "malformed");
    CHECK(outcome(block(0x21, 0x11, v4_block + std::string("\x04\x00\x02x", 4))) == "malformed");
    CHECK(outcome(block(0x21, 0x11, v4_block + std::string("\x04\xff\xffx", 4))) == "malformed");
    CHECK(outcome(block(0x21, 0x11, v4_block + entry(0x03, "abcde"))) == "malformed");
    CHECK(outcome(block(0x21, 0x11, v4_block + entry(0x03, "abcd"))) == "malformed");
    const std::string checksum("\xca\x3d\x15\x59", 4);  // as another implementation of CRC32c says
    const auto checked = block(0x21, 0x11, v4_block + entry(0x03, checksum) + entry(0x02, "a.test"));
    CHECK(outcome(checked) == "done 192.0.2.7");
    for (const std::size_t at : {16U, 31U, 38U}) {
        auto other = checked;
        other[at] ^= 1;
        CHECK(outcome(other) == "malformed");
    }
}

TEST_CASE("a header that is cut anywhere is waited for, and never taken for a whole one") {
    const std::string headers[] = {"PROXY TCP4 192.0.2.7 127.0.0.1 56324 443\r\n", "PROXY UNKNOWN\r\n",
                                   block(0x21, 0x11, v4_block + entry(0x04, "noop")), block(0x21, 0x21, v6_block()),
                                   block(0x20, 0x00, "")};
    for (const auto& header : headers) {
        for (std::size_t cut = 0; cut < header.size(); ++cut) {
            CAPTURE(header, cut);
            CHECK(outcome(header.substr(0, cut)) == "more");
        }
        CHECK(net::parse_proxy_header(header).state == State::done);
    }
}

TEST_CASE("the longest block is taken") {
    const auto longest = block(0x21, 0x11, v4_block + entry(0x04, std::string(65535 - 12 - 3, 'x')));
    REQUIRE(longest.size() == net::proxy_block_max);
    CHECK(outcome(longest) == "done 192.0.2.7");
}
