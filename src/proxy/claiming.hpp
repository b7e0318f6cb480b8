#pragma once

#include "onceward/base/result.hpp"
#include "onceward/base/task.hpp"
#include "onceward/guard/command.hpp"
#include "onceward/store/store.hpp"

namespace onceward::proxy {

struct Loop;

struct ClaimOutcome {
    Result<guard::ClaimReply> reply{make_error_code(store::StoreErrc::unavailable)};
    bool may_be_written = false;  ///< with an error: the store may hold, or may yet take, this claim
    Deadline sent_at{};           ///< before the first try: a lease counts from here
    Deadline void_after{};        ///< on this process's clock: the store refuses the claim from here on
    std::chrono::microseconds store_time{0};
};

/// Claims, and once more under the same owner token and deadline when no answer came (spec section 3): the store recognises its
/// own. Fills in the request's owner token and deadline, and the outcome.
Task<> claim(Loop& loop, guard::ClaimRequest& request, ClaimOutcome& outcome);

}  // namespace onceward::proxy
