#include "config/address.hpp"

#include "config/ip.hpp"
#include "onceward/base/ascii.hpp"

#include <algorithm>

namespace onceward::config {

namespace {

constexpr std::string_view an_address = "expected host:port, [ipv6]:port or unix:/path";
constexpr std::size_t host_max = 253;
/// `sockaddr_un::sun_path`, less its final zero.
constexpr std::size_t unix_path_max = 107;

Complaint complain(std::string_view text, std::string_view what) {
    return {shown(text) + " " + std::string(what) + ": " + std::string(an_address)};
}

bool is_host_name(std::string_view host) {
    const auto allowed = [](char c) {
        const char lower = base::to_lower(c);
        return (lower >= 'a' && lower <= 'z') || base::is_digit(c) || c == '-' || c == '.' || c == '_';
    };
    // What ends in a number is meant as an IPv4 address (URL standard, host parsing), so `300.1.1.1` is not a name.
    const auto last_label = host.substr(host.rfind('.') + 1);
    const bool numeric = std::all_of(last_label.begin(), last_label.end(), base::is_digit);
    return !host.empty() && host.size() <= host_max && std::all_of(host.begin(), host.end(), allowed) && !numeric &&
           host.front() != '.' && host.front() != '-' && host.find("..") == std::string_view::npos;
}

}  // namespace

Parsed<Address> parse_authority(std::string_view text, std::uint16_t default_port) {
    const bool bracketed = !text.empty() && text.front() == '[';
    const auto host_end = bracketed ? text.find(']') : std::min(text.find(':'), text.size());
    if (host_end == std::string_view::npos) {
        return complain(text, "has no closing bracket");
    }
    const auto host = bracketed ? text.substr(1, host_end - 1) : text.substr(0, host_end);
    const auto rest = text.substr(host_end + (bracketed ? 1 : 0));
    if (bracketed ? !parse_ipv6(host) : !parse_ipv4(host) && !is_host_name(host)) {
        return complain(text, "has no valid host");
    }
    Address address{std::string(host), default_port, {}};
    if (rest.empty()) {
        return default_port == 0 ? Parsed<Address>(complain(text, "has no port")) : address;
    }
    const auto port = parse_count(rest.substr(1), 1, 65535);
    if (rest.front() != ':' || std::holds_alternative<Complaint>(port)) {
        return complain(text, "has no port from 1 to 65535");
    }
    address.port = static_cast<std::uint16_t>(std::get<std::uint32_t>(port));
    return address;
}

Parsed<Address> parse_unix_path(std::string_view text, const std::filesystem::path& directory) {
    if (text.empty() || text.back() == '/') {
        return complain(text, "names no socket");
    }
    auto path = (directory / text).lexically_normal().string();
    if (path.size() > unix_path_max) {
        return complain(text, "is longer than " + std::to_string(unix_path_max) + " bytes");
    }
    return Address{{}, 0, std::move(path)};
}

Parsed<Address> parse_address(std::string_view text, const std::filesystem::path& directory) {
    constexpr std::string_view scheme = "unix:";
    if (text.substr(0, scheme.size()) == scheme) {
        return parse_unix_path(text.substr(scheme.size()), directory);
    }
    return parse_authority(text, 0);
}

Parsed<Cidr> parse_cidr(std::string_view text) {
    const Complaint complaint{shown(text) + " is not a network: expected address/bits, such as 10.0.0.0/8 or fd00::/8"};
    const auto slash = std::min(text.find('/'), text.size());
    const auto address = text.substr(0, slash);
    const bool v4 = address.find(':') == std::string_view::npos;
    const auto ip = v4 ? parse_ipv4(address) : parse_ipv6(address);
    if (!ip) {
        return complaint;
    }
    std::uint32_t bits = v4 ? 32 : 128;
    if (slash != text.size()) {
        const auto parsed = parse_count(text.substr(slash + 1), 0, bits);
        if (std::holds_alternative<Complaint>(parsed)) {
            return complaint;
        }
        bits = std::get<std::uint32_t>(parsed);
    }
    Cidr network;
    network.prefix_bits = static_cast<std::uint8_t>(v4 ? bits + 96 : bits);
    for (std::size_t i = 0; i < ip->size(); ++i) {
        const auto kept = std::clamp(static_cast<int>(network.prefix_bits) - static_cast<int>(8 * i), 0, 8);
        network.bytes[i] = static_cast<std::uint8_t>((*ip)[i] & (0xff00U >> static_cast<unsigned>(kept)));
    }
    return network;
}

Parsed<Upstream> parse_upstream_url(std::string_view text, const std::filesystem::path& directory) {
    constexpr std::string_view expected = "expected http://host:port, https://host:port or unix:/path";
    const auto refuse = [&](std::string_view what) {
        return Complaint{shown(text) + " " + std::string(what) + ": " + std::string(expected)};
    };
    const auto colon = std::min(text.find(':'), text.size());
    const auto scheme = base::to_lower(text.substr(0, colon));
    Parsed<Address> address;
    if (scheme == "unix") {
        address = parse_unix_path(text.substr(std::min(colon + 1, text.size())), directory);
    } else if ((scheme == "http" || scheme == "https") && text.substr(colon, 3) == "://") {
        auto authority = text.substr(colon + 3);
        if (!authority.empty() && authority.back() == '/') {
            authority.remove_suffix(1);
        }
        if (authority.find_first_of("/?#@") != std::string_view::npos) {
            return refuse("has more than a host and a port, and requests go up with their own path");
        }
        address = parse_authority(authority, scheme == "https" ? 443 : 80);
    } else {
        return refuse("is no upstream");
    }
    if (auto* complaint = std::get_if<Complaint>(&address)) {
        return *complaint;
    }
    Upstream upstream;
    upstream.secure = scheme == "https";
    upstream.address = std::get<Address>(std::move(address));
    upstream.url = upstream.address.is_unix() ? to_text(upstream.address) : std::string(text);
    return upstream;
}

Syntax<Address> address() {
    const auto read = [](const Cursor& cursor, Address& value) {
        const auto text = as_text(cursor.node);
        if (!text) {
            cursor.mismatch("an address such as 0.0.0.0:8080 or unix:/path");
            return;
        }
        auto parsed = parse_address(*text, cursor.report.directory());
        if (const auto* complaint = std::get_if<Complaint>(&parsed)) {
            cursor.error(complaint->message);
        } else {
            value = std::get<Address>(std::move(parsed));
        }
    };
    return {"address",
            [] {
                return Json{{"type", "string"}};
            },
            read,
            [](const Address& value) { return Json(to_text(value)); },
            {}};
}

Syntax<std::optional<Address>> address_or_off() {
    const auto one = address();
    const auto read = [one](const Cursor& cursor, std::optional<Address>& value) {
        if (as_boolean(cursor.node) == false || (cursor.node.kind == Node::Kind::scalar && cursor.node.text == "off")) {
            value.reset();
            return;
        }
        Address given;
        one.read(cursor, given);
        value = std::move(given);
    };
    const auto write = [](const std::optional<Address>& value) { return Json(value ? to_text(*value) : "off"); };
    return {"address or off",
            [] {
                return Json{{"anyOf", Json::array({Json{{"type", "string"}}, Json{{"const", false}}})}};
            },
            read,
            write,
            {}};
}

Syntax<Cidr> cidr() {
    return text_syntax<Cidr>(
        "network", parse_cidr, [](const Cidr& value) { return Json(to_text(value)); },
        [] {
            return Json{{"type", "string"}};
        });
}

}  // namespace onceward::config
