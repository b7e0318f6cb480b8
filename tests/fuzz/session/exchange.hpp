#pragma once

#include "strict_head.hpp"
#include "trace.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace onceward::fuzz {

/// A request that reached the service, and what the service sent for it, by the strict reader.
struct Exchange {
    test::StrictRequest request;
    std::uint64_t turn = 0;  ///< of the loop, when its first byte came
    std::vector<test::StrictResponse> interim;
    std::optional<test::StrictResponse> response;  ///< final, or 101
    std::string_view tunnel_up;                    ///< behind a 101: what came, and what was sent
    std::string_view tunnel_down;
};

/// A request of a client that the proxy had to deal with, in order.
struct Asked {
    test::StrictRequest request;
    std::size_t client = 0;
};

/// The exchanges of all connections in the order in which they began. Reports what is no sequence of whole, valid requests.
std::vector<Exchange> read_exchanges(const Trace& trace);

/// Onceward's own fields for the service, which a client must not be able to send.
bool is_claim_field(std::string_view name);
/// It goes to the service under a claim.
bool is_claimed(const test::StrictRequest& request);

/// Whether the service may have got `sent` for `asked`: the same method, target, host, content and fields.
bool may_become(const test::StrictRequest& asked, const test::StrictRequest& sent);
/// Whether a client may have got `received` for `sent`: the same status, reason, fields, and content as far as it is there.
bool may_become(const test::StrictResponse& sent, const test::StrictResponse& received);

/// Ends the process when `holds` is false, with what was expected and what went over the connections.
void show_when_unexpected(const Trace& trace);
void expect(bool holds, const char* what);

}  // namespace onceward::fuzz
