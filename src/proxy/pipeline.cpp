#include "onceward/base/ascii.hpp"
#include "onceward/base/hex.hpp"
#include "onceward/guard/verdict.hpp"
#include "onceward/http/forward.hpp"
#include "onceward/id/owner_token.hpp"
#include "onceward/request/identify.hpp"
#include "proxy/claiming.hpp"
#include "proxy/deliver.hpp"
#include "proxy/execution.hpp"
#include "proxy/loop.hpp"
#include "proxy/replaying.hpp"
#include "proxy/session.hpp"
#include "proxy/spawn.hpp"
#include "proxy/store_call.hpp"
#include "proxy/waiting.hpp"

#include <algorithm>

namespace onceward::proxy {

namespace {

using guard::ProblemCode;
using std::chrono::steady_clock;

const config::Route& route_of(const Session& s) {
    return s.options().routes[s.match.index];
}

/// Longest time this request may wait for another's execution: the route's, or less if the client says so (RFC 7240 `wait`).
milliseconds wait_of(const Session& s) {
    auto wait = route_of(s).wait;
    s.head.headers.for_each_value("Prefer", [&](std::string_view list) {
        base::for_each_list_member(list, [&](std::string_view member) {
            const auto equals = member.find('=');
            if (equals == std::string_view::npos || !base::iequals(base::trim(member.substr(0, equals)), "wait")) {
                return;
            }
            std::int64_t asked = 0;
            const auto digits = base::unquoted(base::trim(member.substr(equals + 1, member.find(';', equals) - equals - 1)));
            if (digits.empty() || digits.size() > 9 || !std::all_of(digits.begin(), digits.end(), base::is_digit)) {
                return;
            }
            for (const char c : digits) {
                asked = asked * 10 + (c - '0');
            }
            wait = std::min<milliseconds>(wait, seconds{asked});
        });
    });
    return wait;
}

Task<> refuse_body(Session& s, BodyRead how) {
    switch (how) {
        case BodyRead::too_large:
            co_await s.refuse(ProblemCode::body_too_large);
            break;
        case BodyRead::stalled:
            co_await s.refuse(ProblemCode::request_timeout);
            break;
        case BodyRead::malformed:
            co_await s.refuse(ProblemCode::bad_request);
            break;
        case BodyRead::whole:
        case BodyRead::gone:
            s.client_left();
            break;
    }
}

void fill_claim(Session& s, request::Identified&& who) {
    const auto& route = route_of(s);
    s.claim.id = who.id;
    s.tally.request_id_tells_key = who.request_id_tells_key;
    s.tally.trace_id_tells_key = who.trace_id_tells_key;
    s.claim.route = route.name;
    s.claim.identity = std::move(who.identity);
    s.claim.lifetimes = {route.lease, route.retention, route.tombstone, route.unknown_retention};
    s.claim.on_unknown =
        route.on_unknown == config::OnUnknown::reforward ? guard::UnknownPolicy::reforward : guard::UnknownPolicy::hold;
    s.tally.key_hash.clear();
    base::append_hex(s.tally.key_hash, std::span(who.id.bytes).first(8));
}

/// What the upstream gets, serialised while the request's head is still there.
void fill_request(Session& s, Execution& e) {
    const auto& route = route_of(s);
    e.rules = s.rules();
    e.route = &route;
    e.route_index = s.match.index;
    e.request.method = s.head.method;
    e.request.path = s.head.path;
    e.request.query = s.head.query;
    e.request.has_query = s.head.has_query;
    e.request.host = s.head.host;
    const auto& key_headers = s.plan().key_headers[s.match.index];
    http::RequestForward forward{.head = s.head,
                                 .framing = s.buffered_framing(),
                                 .client = s.client(),
                                 .default_host = s.plan().default_host,
                                 .forwarded = s.options().forwarded,
                                 .claim = {},
                                 .key_headers = key_headers,
                                 .forward_key = &route.forward_key,
                                 .read_headers = s.plan().read_headers[s.match.index],
                                 .new_traceparent = s.new_traceparent(),
                                 .new_request_id = s.new_request_id()};
    if (e.guarded()) {
        forward.claim = http::ClaimFields{e.command.claim.operation_id, e.command.claim.attempt, e.command.claim.fence};
    }
    http::append_request_head(e.request_head, forward);
    e.request_body.swap(s.body);
    s.body.clear();
}

/// Step 8: hands the request to an execution, which runs on by itself.
ExecutionPtr start_execution(Session& s, upstream::Slot slot, ExecutionPtr execution) {
    auto& e = *execution;
    e.slot = std::move(slot);
    fill_request(s, e);
    e.delivery.attached = true;
    spawn(s.loop, execute(execution));
    return execution;
}

ExecutionPtr execute_claim(Session& s, upstream::Slot slot, const guard::Claim& claim) {
    auto execution = s.loop.executions.make();
    auto& command = execution->command;
    command.id = s.claim.id;
    command.route = s.claim.route;
    command.claim = claim;
    command.identity = s.claim.identity;
    command.lifetimes = s.claim.lifetimes;
    execution->lease_until = s.claimed.sent_at + s.claim.lifetimes.lease;
    s.tally.operation_id = claim.operation_id.value;
    s.tally.attempt = claim.attempt.value;
    return start_execution(s, std::move(slot), std::move(execution));
}

/// `on_store_failure: forward`: gives up at-most-once, openly. Whoever comes later meets UNKNOWN once the store answers.
ExecutionPtr execute_bypassed(Session& s, upstream::Slot slot) {
    s.rules()->route_metrics[s.match.index]->unguarded.add();
    guard::Command note{s.claim.id, s.claim.route, {}, s.claim.identity, s.claim.lifetimes, guard::NoteBypassed{}};
    note.claim.owner = s.claim.owner;
    note.claim.operation_id = s.claim.operation_id;
    finish_in_background(s.loop, std::move(note), steady_clock::now());
    auto execution = s.loop.executions.make();
    execution->protection = Protection::bypassed;
    return start_execution(s, std::move(slot), std::move(execution));
}

std::chrono::microseconds since(Deadline begun) {
    return std::chrono::duration_cast<std::chrono::microseconds>(steady_clock::now() - begun);
}

/// Step 9: gives the client what comes of an execution.
Task<> deliver_execution(Session& s, ExecutionPtr execution) {
    auto& e = *execution;
    co_await deliver(s, e);
    // The client may have been answered while the service still works.
    s.tally.upstream = e.upstream_time.count() >= 0 ? e.upstream_time : since(e.started);
    s.tally.add_store(e.store_time);
}

/// No claim could be had. A claim that may have been written is released once the store can't take it any more.
Task<> store_failed(Session& s, upstream::Slot slot) {
    const auto why = s.claimed.reply.error();
    guard::Command release{s.claim.id,       s.claim.route,     {},
                           s.claim.identity, s.claim.lifetimes, guard::Fail{guard::FailureKind::not_executed, "not_sent"}};
    release.claim.owner = s.claim.owner;
    release.claim.operation_id = s.claim.operation_id;
    warn_store(s.loop, "the store could not claim a key", release, why);
    if (why == store::StoreErrc::corrupt) {
        co_await s.refuse_for_now(ProblemCode::store_corrupt);
        co_return;
    }
    if (route_of(s).on_store_failure == config::OnStoreFailure::forward) {
        co_await deliver_execution(s, execute_bypassed(s, std::move(slot)));
        co_return;
    }
    slot.give_back();
    if (s.claimed.may_be_written) {
        finish_in_background(s.loop, std::move(release), s.claimed.void_after);
    }
    co_await s.refuse_for_now(ProblemCode::store_unavailable);
}

Task<> refuse_by_record(Session& s, const guard::Refuse& refusal, const guard::ClaimReply& reply) {
    auto problem = s.problem(refusal.code);
    problem.retry = refusal.retry;
    problem.mismatch = refusal.mismatch;
    problem.original_status = refusal.original_status;
    problem.retry_after = refusal.retry_after;
    if (const auto* existing = std::get_if<guard::Existing>(&reply); existing != nullptr && refusal.show_operation_id) {
        problem.operation_id = existing->record.operation_id;
        s.tally.operation_id = existing->record.operation_id.value;
        s.tally.attempt = existing->record.attempt.value;
    }
    co_await s.refuse(problem);
}

/// Without an operation id nothing is claimed: the store that leases worker ids has not been reached yet, or the clock is off.
void claim_nothing(Session& s) {
    s.claim.owner = id::make_owner_token();
    s.claimed = ClaimOutcome{};
}

/// What the store's answer means for this request, if it need not wait: the answer of steps 7 to 9.
Task<> follow(Session& s, upstream::Slot slot, guard::Verdict verdict) {
    if (const auto* execute = std::get_if<guard::Execute>(&verdict)) {
        co_await deliver_execution(s, execute_claim(s, std::move(slot), execute->claim));
        co_return;
    }
    slot.give_back();
    if (const auto* refusal = std::get_if<guard::Refuse>(&verdict)) {
        co_await refuse_by_record(s, *refusal, *s.claimed.reply);
    } else {
        co_await replay(s, std::get<guard::Existing>(*s.claimed.reply).record);
    }
}

/// Steps 6 and 7, as often as this request may wait for another's execution. A slot at the upstream is reserved before the claim,
/// so that a claim never waits for one.
Task<> claim_and_decide(Session& s) {
    const auto wait_until = steady_clock::now() + wait_of(s);
    std::optional<Watch> watch;
    for (;;) {
        if (s.loop.grace_over) {
            co_await s.refuse_for_now(ProblemCode::overloaded);
            co_return;
        }
        auto slot = s.loop.pool.try_acquire(upstream::Freshness::fresh);
        if (!slot.valid()) {
            slot = co_await s.loop.pool.acquire(upstream::Freshness::fresh);
        }
        if (!slot.valid()) {
            co_await s.refuse_for_now(ProblemCode::overloaded);
            co_return;
        }
        auto id = s.loop.ids.try_next();
        if (!id) {
            id = co_await s.loop.ids.next(steady_clock::now() + s.options().store.timeout);
        }
        s.claim.operation_id = id.value_or(OperationId{});
        if (id) {
            co_await claim(s.loop, s.claim, s.claimed);
            s.tally.add_store(s.claimed.store_time);
        } else {
            claim_nothing(s);
        }
        if (!s.claimed.reply) {
            co_await store_failed(s, std::move(slot));
            co_return;
        }
        auto verdict = guard::decide(*s.claimed.reply, s.claim.identity);
        const auto* wait = std::get_if<guard::Wait>(&verdict);
        if (wait != nullptr && (steady_clock::now() >= wait_until || s.loop.grace_over)) {
            verdict = guard::refuse_processing(*wait);
            wait = nullptr;
        }
        if (wait == nullptr) {
            co_await follow(s, std::move(slot), std::move(verdict));
            co_return;
        }
        slot.give_back();
        const auto waited_for = *wait;
        if (!watch) {
            watch.emplace(s.loop, s.claim.id);
        }
        co_await watch->wait(std::min(wait_until, steady_clock::now() + waited_for.lease_left + Watch::lease_margin));
        if (s.loop.grace_over) {
            // Not claimed again: nothing is executed any more.
            co_await follow(s, {}, guard::refuse_processing(waited_for));
            co_return;
        }
    }
}

/// The key is optional here and there is none: the request is no business of the guard.
Task<> pass_keyless(Session& s) {
    s.tally.guarded = false;
    s.tally.idempotency = guard::IdempotencyStatus::passed;
    co_await pass_through(s);
}

/// Content in a file is read again only where a rule looks into it. Nothing: it can't be.
std::optional<request::Identification> identify(Session& s) {
    const auto& identifier = s.plan().identifiers[s.match.index];
    request::Content content{{}, s.body.digest()};
    std::string buffer;
    if (!content.digest || identifier.reads_content(s.head)) {
        const auto whole = s.body.whole(buffer);
        if (!whole) {
            return std::nullopt;
        }
        content.bytes = *whole;
    }
    return identifier.identify(s.head, s.match, content, s.client());
}

/// Steps 4 and 5 of a guarded request, then the claim.
Task<> guarded(Session& s) {
    s.tally.route_index = s.match.index;
    s.tally.guarded = true;
    s.tally.idempotency = guard::IdempotencyStatus::refused;  // until something better is known: a client may leave at any time
    const auto& identifier = s.plan().identifiers[s.match.index];
    if (s.head.headers.has_token("Upgrade", "websocket") && s.head.headers.has_token("Connection", "Upgrade")) {
        co_await s.refuse(ProblemCode::bad_request);
        co_return;
    }
    const auto early = identifier.check_head(s.head, s.match, s.client());
    if (early && std::holds_alternative<request::Keyless>(*early)) {
        co_await pass_keyless(s);
        co_return;
    }
    if (early) {
        co_await s.refuse(std::get<ProblemCode>(*early));
        co_return;
    }
    auto read = s.take_body(route_of(s));
    if (!read) {
        read = co_await s.read_body(route_of(s));
    }
    if (*read != BodyRead::whole) {
        co_await refuse_body(s, *read);
        co_return;
    }
    auto who = identify(s);
    if (!who) {
        co_await s.refuse_for_now(ProblemCode::overloaded);
    } else if (const auto* code = std::get_if<ProblemCode>(&*who)) {
        co_await s.refuse(*code);
    } else if (std::holds_alternative<request::Keyless>(*who)) {
        co_await pass_keyless(s);
    } else {
        fill_claim(s, std::get<request::Identified>(std::move(*who)));
        co_await claim_and_decide(s);
    }
}

/// OPTIONS with `Max-Forwards: 0` asks this hop (RFC 9110 section 7.6.2).
Task<> answer_options(Session& s) {
    http::ResponseHead head;
    head.status = 204;
    head.reason = "No Content";
    const http::ResponsePlan plan{{}, s.connection_use()};
    s.out.clear();
    http::append_response_head(s.out, {.head = head, .request = s.head, .plan = plan, .date = s.loop.date(), .added_lines = {}});
    s.tally.status = head.status;
    co_await s.send_out();
}

}  // namespace

Task<> handle(Session& s) {
    if (s.head.method == "TRACE") {
        // It would show the client what was added to its request on the way.
        co_await s.refuse(ProblemCode::method_not_allowed);
        co_return;
    }
    if (http::ends_here(s.head)) {
        co_await answer_options(s);
        co_return;
    }
    s.plan().routes.match(s.head, s.match);
    switch (s.match.kind) {
        case route::Match::Kind::none:
            co_await pass_through(s);
            break;
        case route::Match::Kind::off:
            s.tally.route_index = s.match.index;
            co_await pass_through(s);
            break;
        case route::Match::Kind::ambiguous:
            co_await s.refuse(ProblemCode::bad_request);
            break;
        case route::Match::Kind::guarded:
            co_await guarded(s);
            break;
    }
}

}  // namespace onceward::proxy
