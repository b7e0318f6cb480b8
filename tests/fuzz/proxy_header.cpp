// A PROXY protocol header is found the same wherever its bytes are cut, never past them, and never once it was malformed.

#include "net/proxy_header.hpp"

#include "onceward/base/assert.hpp"

#include <algorithm>
#include <cstdint>
#include <string>

using namespace onceward::net;
using State = ProxyHeader::State;

/// The first byte says where the rest is cut.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view all(reinterpret_cast<const char*>(data), size);
    const auto input = all.substr(std::min<std::size_t>(size, 1));
    const auto cut = input.empty() ? 0 : static_cast<unsigned char>(all[0]) % input.size();
    // Of its own length, so that a look past its end is one past an allocation.
    const std::string start(input.substr(0, cut));
    const auto early = parse_proxy_header(start);
    const auto whole = parse_proxy_header(input);
    if (whole.state == State::done) {
        ONCEWARD_ASSERT(whole.size > 0 && whole.size <= input.size() && whole.size <= proxy_block_max);
        ONCEWARD_ASSERT(cut >= whole.size ? early.state == State::done : early.state == State::need_more);
        const auto alone = parse_proxy_header(input.substr(0, whole.size));
        ONCEWARD_ASSERT(alone.state == State::done && alone.size == whole.size && alone.client == whole.client);
    }
    if (early.state == State::done) {
        ONCEWARD_ASSERT(whole.state == State::done && whole.size == early.size && whole.client == early.client);
    }
    ONCEWARD_ASSERT(early.state != State::malformed || whole.state == State::malformed);
    return 0;
}
