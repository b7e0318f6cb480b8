#include "proxy/claiming.hpp"

#include "onceward/id/owner_token.hpp"
#include "proxy/loop.hpp"
#include "proxy/store_call.hpp"

namespace onceward::proxy {

namespace {
constexpr int tries_max = 2;
constexpr milliseconds pause_before_retry{20};
}  // namespace

Task<> claim(Loop& loop, guard::ClaimRequest& request, ClaimOutcome& outcome) {
    using std::chrono::steady_clock;
    const auto timeout = loop.options().store.timeout;
    outcome = ClaimOutcome{};
    outcome.sent_at = steady_clock::now();
    outcome.void_after = outcome.sent_at + tries_max * timeout;
    request.owner = id::make_owner_token();
    request.deadline = loop.store->now() + tries_max * timeout;
    for (int tries = 1;; ++tries) {
        const auto begun = steady_clock::now();
        outcome.reply = co_await loop.store->claim(request, begun + timeout);
        const auto result = outcome.reply ? CallResult::answered : CallResult::failed;
        outcome.store_time += observe_store(loop, telemetry::StoreOperation::claim, begun, result);
        if (outcome.reply) {
            note_unknown(loop, guard::unknown_change(*outcome.reply));
            break;
        }
        const auto& why = outcome.reply.error();
        outcome.may_be_written = outcome.may_be_written || store::may_have_been_written(why);
        const bool final_word = why == store::StoreErrc::corrupt || why == store::StoreErrc::rejected;
        if (final_word || tries == tries_max || loop.stopping) {
            break;
        }
        if (!store::may_have_been_written(why)) {
            co_await pause_for(loop, pause_before_retry);
        }
    }
}

}  // namespace onceward::proxy
