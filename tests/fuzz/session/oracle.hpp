#pragma once

#include "exchange.hpp"

namespace onceward::fuzz {

/// Reads what each client got against what it and the service sent. Requests that the proxy had to deal with, client by client:
/// behind an answer that ends a connection there is none.
std::vector<std::vector<Asked>> check_clients(const Trace& trace, const std::vector<Exchange>& exchanges);

/// Each request that reached the service is one that a client sent, each at most once and in its client's order.
void check_forwarded(const std::vector<std::vector<Asked>>& asked, const std::vector<Exchange>& exchanges);

/// Nothing gets past the guard, and no key executes a second time unless the first answer says that it may.
void check_guarded(const std::vector<Exchange>& exchanges);

}  // namespace onceward::fuzz
