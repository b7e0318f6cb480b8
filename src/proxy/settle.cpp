#include "onceward/reply/replay.hpp"
#include "onceward/telemetry/log.hpp"
#include "proxy/execution.hpp"
#include "proxy/loop.hpp"
#include "proxy/pieces.hpp"
#include "proxy/spawn.hpp"
#include "proxy/store_call.hpp"

#include <algorithm>

namespace onceward::proxy {

namespace {

using guard::CommandVerdict;
using guard::Outcome;
using std::chrono::steady_clock;

constexpr milliseconds first_pause{20};
constexpr milliseconds longest_pause{2000};

guard::Command with_action(const guard::Command& command, guard::Action action) {
    return {command.id, command.route, command.claim, command.identity, command.lifetimes, std::move(action)};
}

/// Without its content.
void complete_truncated(Execution& e) {
    const auto& recorded = e.recording();
    e.other = with_action(e.command, guard::Complete{{recorded.status, recorded.head, {}, true, recorded.digest}});
}

void fill_complete(Execution& e) {
    auto& recorded = e.recording();
    recorded.status = e.response.status;
    recorded.digest = e.digest.finish();
    reply::append_recorded_head(recorded.head, e.response, e.route->record_headers_except, e.request.method);
    if (e.truncated || (!e.route->record_body && e.content_end() > 0)) {
        complete_truncated(e);
    } else if (e.stored_to > 0) {
        e.other =
            with_action(e.command, guard::Complete{{recorded.status, recorded.head, {}, false, recorded.digest, e.stored_to}});
    }
}

/// Turns what was received into the command that says so to the store.
void fill_command(Execution& e, const guard::Settlement& settlement) {
    switch (settlement.outcome) {
        case Outcome::completed:
            return fill_complete(e);
        case Outcome::failed_not_executed:
            e.other = with_action(e.command, guard::Fail{guard::FailureKind::not_executed, settlement.evidence});
            return;
        case Outcome::failed_answered:
            e.other = with_action(e.command, guard::Fail{guard::FailureKind::answered, settlement.evidence});
            return;
        case Outcome::unknown:
            e.other = with_action(e.command, guard::MarkUnknown{settlement.evidence});
            return;
    }
}

/// Lets the client have what there is for it.
void tell(Execution& e, const guard::Settlement& settlement) {
    const bool started = e.delivery.stage == DeliveryStage::streaming;
    if (e.delivery.stage == DeliveryStage::refused) {
        return;  // the client was told 504; a late answer is for the next request
    }
    if (!started) {
        e.delivery.status =
            e.guarded() ? guard::status_of(settlement.outcome, e.command.claim.may) : guard::IdempotencyStatus::unguarded;
    }
    if (!settlement.problem) {
        e.show(DeliveryStage::finished);
    } else if (started) {
        e.show(DeliveryStage::cut);
    } else {
        e.delivery.problem = *settlement.problem;
        if (*settlement.problem == guard::ProblemCode::store_unavailable) {
            e.delivery.retry_after = reply::retry_soon;
        }
        e.show(DeliveryStage::refused);
    }
}

telemetry::ExecutionOutcome counted(Outcome outcome) {
    switch (outcome) {
        case Outcome::completed:
            return telemetry::ExecutionOutcome::completed;
        case Outcome::failed_not_executed:
        case Outcome::failed_answered:
            return telemetry::ExecutionOutcome::failed;
        case Outcome::unknown:
            break;
    }
    return telemetry::ExecutionOutcome::unknown;
}

/// What the store's word means for the answer.
void heed(Execution& e, const guard::CommandReply& reply) {
    switch (reply.verdict) {
        case CommandVerdict::applied:
        case CommandVerdict::lapsed:
        case CommandVerdict::incomplete:
            break;
        case CommandVerdict::rewritten:
            note_data_loss(e.loop, e.command);
            break;
        case CommandVerdict::fenced:
            e.loop.metrics.fenced.add();
            telemetry::warn("fenced: another owner holds the record, this answer is not recorded",
                            {{"route", e.command.route},
                             {"operation_id", std::to_string(e.command.claim.operation_id.value)},
                             {"attempt", std::int64_t{e.command.claim.attempt.value}}});
            e.delivery.recorded = reply::Recorded::no;
            return;
    }
    note_unknown(e.loop, reply.unknown);
}

/// Whether the record has the content that is in the store for it.
bool is_kept(const Execution& e, CommandVerdict verdict) {
    return verdict != CommandVerdict::fenced && guard::bytes_in_pieces(e.settling_command().action) > 0;
}

/// Tells the store, and the client as soon as the store has confirmed, or `store.timeout` later. Goes on until the store has an
/// answer.
Task<> record(Execution& e, const guard::Settlement& settlement) {
    const auto timeout = e.loop.options().store.timeout;
    const auto give_up = steady_clock::now() + timeout;
    const auto operation = operation_of(e.settling_command().action);
    bool told = false;
    for (auto pause = first_pause;; pause = std::min(pause * 2, longest_pause)) {
        const auto begun = steady_clock::now();
        const auto reply = co_await e.loop.store->apply(e.settling_command(), told ? begun + timeout : give_up);
        e.store_time += observe_store(e.loop, operation, begun, reply ? CallResult::answered : CallResult::failed);
        if (reply && reply->verdict == CommandVerdict::incomplete) {
            telemetry::warn("the store lost content of a large answer: its duplicates get RESULT_TOO_LARGE",
                            {{"route", e.command.route}, {"operation_id", std::to_string(e.command.claim.operation_id.value)}});
            complete_truncated(e);
            continue;
        }
        if (reply) {
            heed(e, *reply);
            e.pieces_spare = e.stored_to > 0 && !is_kept(e, reply->verdict);
            break;
        }
        const bool final_word = reply.error() == store::StoreErrc::corrupt;
        if (!told && (final_word || steady_clock::now() + pause >= give_up)) {
            told = true;
            e.delivery.recorded = reply::Recorded::no;
            tell(e, settlement);
            warn_store(e.loop, "the outcome could not be recorded yet", e.command, reply.error());
        }
        if (final_word || e.loop.stopping) {
            break;
        }
        co_await pause_for(e.loop, pause);
    }
    if (!told) {
        tell(e, settlement);
    }
}

}  // namespace

Task<> settle(Execution& e, const guard::Ending& ending) {
    const auto settlement = guard::settlement_of(ending);
    auto& metrics = *e.rules->route_metrics[e.route_index];
    metrics.executions[static_cast<std::size_t>(counted(settlement.outcome))].add();
    if (e.upstream_time.count() >= 0) {
        metrics.upstream_seconds.observe(e.upstream_time);
    }
    if (!e.guarded()) {
        tell(e, settlement);
        co_return;
    }
    e.settling = true;
    if (settlement.outcome == Outcome::completed && e.stored_to > 0) {
        co_await store_rest(e);
    }
    fill_command(e, settlement);
    co_await record(e, settlement);
}

namespace {
Task<> renew(ExecutionPtr execution) {
    auto& e = *execution;
    const auto command = with_action(e.command, guard::Renew{});
    const auto begun = steady_clock::now();
    const auto reply = co_await e.loop.store->apply(command, begun + e.loop.options().store.timeout);
    observe_store(e.loop, telemetry::StoreOperation::renew, begun, reply ? CallResult::answered : CallResult::failed);
    e.renewing = false;
    if (reply && reply->verdict == CommandVerdict::fenced) {
        if (e.settling) {
            // It came behind the outcome: what that write meets says whether there is another owner.
            co_return;
        }
        e.loop.metrics.fenced.add();
        telemetry::warn("fenced: the lease could not be renewed, another owner holds the record",
                        {{"route", command.route}, {"operation_id", std::to_string(command.claim.operation_id.value)}});
        co_return;
    }
    if (reply) {
        e.lease_until = begun + command.lifetimes.lease;
    }
    if (reply && reply->verdict == CommandVerdict::rewritten) {
        note_data_loss(e.loop, command);
    }
    if (!e.settled) {
        e.loop.deadlines.set(e.heartbeat, command.lifetimes.lease / 3);
    }
}
}  // namespace

void Heartbeat::on_deadline() {
    if (!execution_.renewing) {
        execution_.renewing = true;
        spawn(execution_.loop, renew(ExecutionPtr(&execution_)));
    }
}

}  // namespace onceward::proxy
