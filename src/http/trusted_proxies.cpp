#include "onceward/http/trusted_proxies.hpp"

#include "onceward/base/ascii.hpp"

#include <algorithm>
#include <optional>
#include <vector>

namespace onceward::http {

namespace {

bool contains(const config::Cidr& network, const base::IpBytes& address) {
    const auto whole = network.prefix_bits / 8U;
    const auto rest = network.prefix_bits % 8U;
    if (!std::equal(address.begin(), address.begin() + whole, network.bytes)) {
        return false;
    }
    return rest == 0 || ((address[whole] ^ network.bytes[whole]) >> (8U - rest)) == 0;
}

/// `192.0.2.1`, `192.0.2.1:80`, `2001:db8::1`, `[2001:db8::1]` or `[2001:db8::1]:80`; not a name, nor `unknown`.
std::optional<base::IpBytes> address_in(std::string_view node) {
    if (node.starts_with('[')) {
        const auto end = node.find(']');
        return end == std::string_view::npos ? std::nullopt : base::parse_ipv6(node.substr(1, end - 1));
    }
    if (std::count(node.begin(), node.end(), ':') > 1) {
        return base::parse_ipv6(node);
    }
    return base::parse_ipv4(node.substr(0, node.find(':')));
}

/// The value of `for` in a member of Forwarded.
std::string_view node_of(std::string_view hop) {
    while (!hop.empty()) {
        const auto end = std::min(hop.find(';'), hop.size());
        const auto pair = base::trim(hop.substr(0, end));
        if (pair.size() > 4 && base::iequals(pair.substr(0, 4), "for=")) {
            return base::unquoted(pair.substr(4));
        }
        hop.remove_prefix(std::min(end + 1, hop.size()));
    }
    return {};
}

template <typename NodeOf>
void append_believed(std::string& out, const HeaderList& headers, std::string_view name, std::span<const config::Cidr> trusted,
                     NodeOf of) {
    std::vector<std::string_view> members;
    headers.for_each_value(name, [&](std::string_view line) {
        base::for_each_list_member(line, [&](std::string_view member) { members.push_back(member); });
    });
    auto first = members.size();
    bool believed = true;
    while (first > 0 && believed) {
        --first;
        const auto address = address_in(of(members[first]));
        believed = address && is_in_any(trusted, *address);
    }
    for (auto i = first; i < members.size(); ++i) {
        out.append(i > first ? ", " : "").append(members[i]);
    }
}

}  // namespace

bool is_in_any(std::span<const config::Cidr> networks, const base::IpBytes& address) {
    return std::any_of(networks.begin(), networks.end(), [&](const config::Cidr& network) { return contains(network, address); });
}

void append_believed_addresses(std::string& out, const HeaderList& headers, std::span<const config::Cidr> trusted) {
    append_believed(out, headers, "X-Forwarded-For", trusted, [](std::string_view member) { return member; });
}

void append_believed_hops(std::string& out, const HeaderList& headers, std::span<const config::Cidr> trusted) {
    append_believed(out, headers, "Forwarded", trusted, node_of);
}

}  // namespace onceward::http
