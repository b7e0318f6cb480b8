#include "proxy/store_call.hpp"

#include "net/event.hpp"
#include "onceward/telemetry/log.hpp"
#include "proxy/loop.hpp"
#include "proxy/spawn.hpp"

#include <algorithm>

namespace onceward::proxy {

namespace {

using std::chrono::steady_clock;

/// Background commands wait at most this long between tries, and no more of them than this are kept: beyond it a claim is left to
/// its lease, which is safe.
constexpr milliseconds first_pause{100};
constexpr milliseconds longest_pause{2000};
constexpr std::size_t background_max = 10'000;

Task<> finish(Loop& loop, guard::Command command, Deadline first_at) {
    const auto wait = std::chrono::duration_cast<milliseconds>(first_at - steady_clock::now());
    if (wait.count() > 0) {
        co_await pause_for(loop, wait);
    }
    for (auto pause = first_pause; !loop.stopping; pause = std::min(pause * 2, longest_pause)) {
        const auto begun = steady_clock::now();
        const auto reply = co_await loop.store->apply(command, begun + loop.options().store.timeout);
        observe_store(loop, operation_of(command.action), begun, reply ? CallResult::answered : CallResult::failed);
        if (reply) {
            note_unknown(loop, reply->unknown);
        }
        if (reply || reply.error() == store::StoreErrc::corrupt) {
            break;
        }
        co_await pause_for(loop, pause);
    }
    --loop.background_count;
}

}  // namespace

telemetry::StoreOperation operation_of(const guard::Action& action) {
    if (std::holds_alternative<guard::Complete>(action)) {
        return telemetry::StoreOperation::complete;
    }
    if (std::holds_alternative<guard::Renew>(action)) {
        return telemetry::StoreOperation::renew;
    }
    if (std::holds_alternative<guard::Fail>(action)) {
        return telemetry::StoreOperation::fail;
    }
    return telemetry::StoreOperation::unknown;
}

std::chrono::microseconds observe_store(Loop& loop, telemetry::StoreOperation operation, Deadline begun, CallResult result) {
    const auto took = std::chrono::duration_cast<std::chrono::microseconds>(steady_clock::now() - begun);
    const auto index = static_cast<std::size_t>(operation);
    loop.metrics.store_seconds[index].observe(took);
    if (result == CallResult::failed) {
        loop.metrics.store_failures[index].add();
    }
    return took;
}

void warn_store(Loop& loop, std::string_view event, const guard::Command& command, const boost::system::error_code& why) {
    const auto now = steady_clock::now();
    if (now - loop.last_store_warning < seconds{1}) {
        return;
    }
    loop.last_store_warning = now;
    telemetry::warn(
        event,
        {{"route", command.route}, {"operation_id", std::to_string(command.claim.operation_id.value)}, {"error", why.message()}});
}

void note_unknown(Loop& loop, guard::UnknownChange change) {
    if (change != guard::UnknownChange::none) {
        loop.metrics.unknown_open.add(static_cast<std::int64_t>(change));
    }
}

void note_data_loss(Loop& loop, const guard::Command& command) {
    loop.metrics.data_loss.add();
    telemetry::warn("the store lost a record of a running execution; it was written again: data loss",
                    {{"route", command.route}, {"operation_id", std::to_string(command.claim.operation_id.value)}});
}

Task<> pause_for(Loop& loop, milliseconds duration) {
    net::Event event(loop.io);
    co_await event.wait_until(loop.deadlines, steady_clock::now() + duration);
}

void finish_in_background(Loop& loop, guard::Command command, Deadline first_at) {
    if (loop.background_count >= background_max) {
        return;
    }
    ++loop.background_count;
    spawn(loop, finish(loop, std::move(command), first_at));
}

}  // namespace onceward::proxy
