#include "config/ip.hpp"

#include "onceward/base/hex.hpp"

#include <algorithm>
#include <span>

namespace onceward::config {

std::string to_text(const Cidr& network) {
    IpBytes ip{};
    std::copy(std::begin(network.bytes), std::end(network.bytes), ip.begin());
    std::string text;
    if (is_ipv4(ip) && network.prefix_bits >= 96) {
        for (std::size_t i = 12; i < ip.size(); ++i) {
            text += (i == 12 ? "" : ".") + std::to_string(ip[i]);
        }
        return text + "/" + std::to_string(network.prefix_bits - 96);
    }
    for (std::size_t i = 0; i < ip.size(); i += 2) {
        text += (i == 0 ? "" : ":") + base::to_hex(std::span(ip).subspan(i, 2));
    }
    return text + "/" + std::to_string(network.prefix_bits);
}

}  // namespace onceward::config
