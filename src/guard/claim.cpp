#include "guard/record_writes.hpp"
#include "onceward/guard/record_machine.hpp"

#include <chrono>

namespace onceward::guard {

namespace {

Claim claim_of(const Record& record) {
    return {record.owner, record.fence, record.attempt, record.operation_id, record.may};
}

ClaimStep late() {
    return {std::nullopt, Late{}};
}

ClaimStep grant(Record record, const ClaimRequest& request, StoreTime now) {
    record.last_owner = record.owner;
    record.owner = request.owner;
    record.fence = next_fence(record.fence, now);
    record.attempt.value += 1;
    record.route = request.route;
    record.identity = request.identity;
    make_processing(record, request.lifetimes, now);
    const Claimed claimed{claim_of(record), request.lifetimes.lease};
    return {std::move(record), claimed};
}

ClaimStep grant_first(Fence previous, const ClaimRequest& request, StoreTime now) {
    Record record;
    record.fence = previous;
    record.operation_id = request.operation_id;
    record.created_at = now;
    return grant(std::move(record), request, now);
}

/// A claim whose reply was lost, sent again. The lease still counts from the first time.
ClaimStep recognise(const Record& record, StoreTime now) {
    return {std::nullopt, Claimed{claim_of(record), std::chrono::floor<milliseconds>(record.lease_until - now)}};
}

ClaimStep answer_existing(const Record& stored, Record seen, const ClaimRequest& request, StoreTime now) {
    ClaimStep step;
    if (stored.state == RecordState::processing && seen.state != RecordState::processing) {
        step.write = seen;
        // EXPIRED is a reading only.
        step.write->state = RecordState::unknown;
    }
    Existing existing;
    existing.now = now;
    existing.relation = relate(seen.identity, request.identity);
    existing.caller_same = seen.identity.caller == request.identity.caller;
    const bool may_see = existing.relation == Relation::same && existing.caller_same;
    if (seen.state != RecordState::completed || !may_see) {
        seen.response.reset();
    }
    existing.record = std::move(seen);
    step.reply = std::move(existing);
    return step;
}

bool executes_again(const Record& record, const ClaimRequest& request) {
    const auto relation = relate(record.identity, request.identity);
    switch (record.state) {
        case RecordState::failed:
            return record.failure == FailureKind::not_executed || relation == Relation::same;
        case RecordState::unknown:
            return request.on_unknown == UnknownPolicy::reforward && relation == Relation::same &&
                   record.identity.caller == request.identity.caller;
        case RecordState::processing:
        case RecordState::completed:
        case RecordState::expired:
            break;
    }
    return false;
}

ClaimStep grant_again(Record record, const ClaimRequest& request, StoreTime now) {
    if (record.state == RecordState::unknown) {
        record.may = true;
    }
    if (relate(record.identity, request.identity) != Relation::same) {
        record.operation_id = request.operation_id;
    }
    return grant(std::move(record), request, now);
}

ClaimStep decide(const std::optional<Record>& stored, const ClaimRequest& request, StoreTime now) {
    if (now > request.deadline) {
        return late();
    }
    auto seen = stored ? read_at(*stored, now, request.lifetimes) : std::nullopt;
    if (!seen) {
        return grant_first(stored ? stored->fence : Fence{}, request, now);
    }
    if (seen->owner == request.owner) {
        return seen->state == RecordState::processing ? recognise(*seen, now) : late();
    }
    if (seen->last_owner == request.owner) {
        return late();
    }
    if (executes_again(*seen, request)) {
        return grant_again(std::move(*seen), request, now);
    }
    return answer_existing(*stored, std::move(*seen), request, now);
}

struct NoteUnknown {
    UnknownChange change;

    void operator()(Claimed& claimed) const { claimed.unknown = change; }
    void operator()(Existing& existing) const { existing.unknown = change; }
    void operator()(Late& /*late*/) const {}
};

}  // namespace

ClaimStep claim(const std::optional<Record>& stored, const ClaimRequest& request, StoreTime now) {
    auto step = decide(stored, request, now);
    std::visit(NoteUnknown{unknown_change(stored, step.write)}, step.reply);
    return step;
}

UnknownChange unknown_change(const ClaimReply& reply) {
    if (const auto* claimed = std::get_if<Claimed>(&reply)) {
        return claimed->unknown;
    }
    const auto* existing = std::get_if<Existing>(&reply);
    return existing == nullptr ? UnknownChange::none : existing->unknown;
}

}  // namespace onceward::guard
