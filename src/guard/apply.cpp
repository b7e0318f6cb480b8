#include "guard/record_writes.hpp"
#include "onceward/guard/record_machine.hpp"

#include <type_traits>
#include <utility>

namespace onceward::guard {

namespace {

/// The record as the claim that the command names had written it, for a store that lost it.
Record record_of(const Command& command, StoreTime now) {
    Record record;
    record.owner = command.claim.owner;
    record.fence = command.claim.fence;
    record.attempt = command.claim.attempt;
    record.operation_id = command.claim.operation_id;
    record.may = command.claim.may;
    record.route = command.route;
    record.identity = command.identity;
    record.created_at = now;
    return record;
}

CommandStep unchanged(const Record& seen, CommandVerdict verdict) {
    return {std::nullopt, {verdict, seen.state, seen.may}};
}

CommandStep written(Record record, CommandVerdict verdict) {
    const CommandReply reply{verdict, record.state, record.may};
    return {std::move(record), reply};
}

/// What an owner's action does to its record. `stored` is what the store holds, `seen` how it reads; nothing when it reads
/// absent.
struct OwnerStep {
    const Command& command;
    StoreTime now;

    CommandStep operator()(const Record& stored, const Record& seen, const Renew& /*action*/) const {
        if (stored.state == RecordState::processing) {
            Record record = stored;
            make_processing(record, command.lifetimes, now);
            return written(std::move(record), CommandVerdict::applied);
        }
        return unchanged(seen, seen.state == RecordState::unknown ? CommandVerdict::lapsed : CommandVerdict::fenced);
    }

    CommandStep operator()(const Record& /*stored*/, Record seen, const Complete& action) const {
        if (seen.state == RecordState::completed) {
            const bool equal = seen.response && seen.response->status == action.response.status &&
                               seen.response->digest == action.response.digest;
            return unchanged(seen, equal ? CommandVerdict::applied : CommandVerdict::fenced);
        }
        if (!open(seen)) {
            return unchanged(seen, CommandVerdict::fenced);
        }
        make_completed(seen, action, command.lifetimes, now);
        return written(std::move(seen), CommandVerdict::applied);
    }

    CommandStep operator()(const Record& stored, Record seen, const Fail& action) const {
        if (seen.may) {
            return (*this)(stored, std::move(seen), MarkUnknown{action.evidence});
        }
        if (seen.state == RecordState::failed) {
            return unchanged(seen, CommandVerdict::applied);
        }
        if (!open(seen)) {
            return unchanged(seen, CommandVerdict::fenced);
        }
        make_failed(seen, action, command.lifetimes, now);
        return written(std::move(seen), CommandVerdict::applied);
    }

    CommandStep operator()(const Record& stored, Record seen, const MarkUnknown& action) const {
        if (!open(seen)) {
            return unchanged(seen, CommandVerdict::fenced);
        }
        if (stored.state == RecordState::unknown && stored.evidence == action.evidence) {
            return unchanged(seen, CommandVerdict::applied);
        }
        make_unknown(seen, action.evidence, command.lifetimes, now);
        return written(std::move(seen), CommandVerdict::applied);
    }

    static bool open(const Record& seen) { return seen.state == RecordState::processing || seen.state == RecordState::unknown; }
};

/// The owner's word on a record that the store lost (spec section 3).
struct LostStep {
    const Command& command;
    StoreTime now;

    CommandStep operator()(const Renew& /*action*/) const {
        auto record = record_of(command, now);
        make_processing(record, command.lifetimes, now);
        return written(std::move(record), CommandVerdict::rewritten);
    }
    CommandStep operator()(const Complete& action) const {
        auto record = record_of(command, now);
        make_completed(record, action, command.lifetimes, now);
        return written(std::move(record), CommandVerdict::rewritten);
    }
    CommandStep operator()(const Fail& action) const {
        if (command.claim.may) {
            // The attempt before may have run: the key is not free because the store forgot it.
            return (*this)(MarkUnknown{action.evidence});
        }
        if (action.kind == FailureKind::not_executed) {
            return {std::nullopt, {CommandVerdict::applied, RecordState::failed, false}};
        }
        // The service acted on this operation id: the next attempt must carry the same.
        auto record = record_of(command, now);
        make_failed(record, action, command.lifetimes, now);
        return written(std::move(record), CommandVerdict::rewritten);
    }
    CommandStep operator()(const MarkUnknown& action) const {
        auto record = record_of(command, now);
        make_unknown(record, action.evidence, command.lifetimes, now);
        return written(std::move(record), CommandVerdict::rewritten);
    }
};

/// Nobody owns a bypassed execution: a release of the claim that failed before it must not free the key.
CommandStep note_bypassed(const std::optional<Record>& seen, const Command& command, StoreTime now) {
    if (seen && seen->state != RecordState::failed) {
        return unchanged(*seen, CommandVerdict::applied);
    }
    auto record = record_of(command, now);
    record.owner = {};
    if (seen) {
        record.last_owner = seen->owner;
        record.created_at = seen->created_at;
        // A released record: an attempt before may have run, and now another has.
        record.may = record.may || seen->may;
    }
    record.fence = next_fence(seen ? seen->fence : Fence{}, now);
    record.attempt.value = (seen ? seen->attempt.value : 0) + 1;
    make_unknown(record, "bypassed", command.lifetimes, now);
    return written(std::move(record), CommandVerdict::applied);
}

CommandStep decide(const std::optional<Record>& stored, const Command& command, StoreTime now) {
    auto seen = stored ? read_at(*stored, now, command.lifetimes) : std::nullopt;
    return std::visit(
        [&](const auto& action) -> CommandStep {
            if constexpr (std::is_same_v<std::decay_t<decltype(action)>, NoteBypassed>) {
                return note_bypassed(seen, command, now);
            } else {
                if (!seen) {
                    return LostStep{command, now}(action);
                }
                if (seen->owner != command.claim.owner) {
                    return unchanged(*seen, CommandVerdict::fenced);
                }
                return OwnerStep{command, now}(*stored, std::move(*seen), action);
            }
        },
        command.action);
}

}  // namespace

CommandStep apply(const std::optional<Record>& stored, const Command& command, StoreTime now) {
    auto step = decide(stored, command, now);
    step.reply.unknown = unknown_change(stored, step.write);
    return step;
}

}  // namespace onceward::guard
