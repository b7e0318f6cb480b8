#include "guard/record_writes.hpp"
#include "onceward/guard/record_machine.hpp"

#include <utility>

namespace onceward::guard {

namespace {

/// Whether the record already is what the action would make of it.
struct IsDone {
    const Record& seen;

    bool operator()(const Release& /*action*/) const { return seen.state == RecordState::failed; }
    bool operator()(const ResolveCompleted& action) const {
        return seen.state == RecordState::completed && seen.response && seen.response->status == action.response.status &&
               seen.response->head == action.response.head && seen.response->body == action.response.body &&
               seen.response->bytes_in_pieces == 0;
    }
    bool operator()(const ResolveFailed& /*action*/) const {
        return seen.state == RecordState::failed && seen.failure == FailureKind::not_executed && !seen.may;
    }
};

struct OperatorWrite {
    Record& record;
    const Lifetimes& lifetimes;
    StoreTime now;

    void operator()(const Release& /*action*/) const { make_released(record, lifetimes, now); }
    template <typename Resolve>
    void operator()(const Resolve& action) const {
        make_resolved(record, action, lifetimes, now);
    }
};

/// Nothing when the command is to be carried out. `seen` is how `stored` reads.
std::optional<OperatorVerdict> refusal(const Record& stored, const Record& seen, const OperatorCommand& command) {
    if (command.state && *command.state != seen.state) {
        return OperatorVerdict::conflict;
    }
    const bool needs_force = seen.state == RecordState::processing || stored.state == RecordState::completed;
    return needs_force && command.force != Force::yes ? std::optional(OperatorVerdict::needs_force) : std::nullopt;
}

}  // namespace

std::string_view to_text(OperatorVerdict verdict) {
    switch (verdict) {
        case OperatorVerdict::applied:
            return "applied";
        case OperatorVerdict::absent:
            return "absent";
        case OperatorVerdict::conflict:
            return "conflict";
        case OperatorVerdict::needs_force:
            return "needs-force";
    }
    return {};
}

OperatorStep operate(const std::optional<Record>& stored, const OperatorCommand& command, StoreTime now) {
    auto seen = stored ? read_at(*stored, now, command.lifetimes) : std::nullopt;
    if (!seen) {
        return {std::nullopt, {OperatorVerdict::absent, std::nullopt, std::nullopt, UnknownChange::none}};
    }
    auto before = without_content(*seen);
    if (seen->fence != command.fence) {
        return {std::nullopt, {OperatorVerdict::conflict, std::move(before), std::nullopt, UnknownChange::none}};
    }
    if (std::visit(IsDone{*seen}, command.action)) {
        return {std::nullopt, {OperatorVerdict::applied, before, before, UnknownChange::none}};
    }
    if (const auto refused = refusal(*stored, *seen, command)) {
        return {std::nullopt, {*refused, std::move(before), std::nullopt, UnknownChange::none}};
    }
    std::visit(OperatorWrite{*seen, command.lifetimes, now}, command.action);
    auto after = without_content(*seen);
    const auto change = unknown_change(stored, seen);
    return {std::move(seen), {OperatorVerdict::applied, std::move(before), std::move(after), change}};
}

}  // namespace onceward::guard
