#include "store/redis/record_codec.hpp"

#include "onceward/guard/record_machine.hpp"
#include "store/redis/field_reader.hpp"
#include "store/redis/record_text.hpp"
#include "store/redis/script_arguments.hpp"

#include <algorithm>
#include <variant>

namespace onceward::store::redis {

namespace {

using guard::RecordState;

std::string_view name_of(const guard::Action& action) {
    constexpr std::string_view names[] = {"renew", "complete", "fail", "unknown", "bypassed"};
    static_assert(std::variant_size_v<guard::Action> == std::size(names));
    return names[action.index()];
}

/// The arguments that an action has of its own.
struct ActionWriter {
    CommandWriter& out;
    void operator()(const guard::Renew& /*action*/) const {}
    void operator()(const guard::Complete& action) const { write_response(out, action.response); }
    void operator()(const guard::Fail& action) const { out.text(action.evidence).text(guard::to_text(action.kind)); }
    void operator()(const guard::MarkUnknown& action) const { out.text(action.evidence); }
    void operator()(const guard::NoteBypassed& /*action*/) const {}
};

std::size_t argument_count_of(const guard::Action& action) {
    constexpr std::size_t counts[] = {0, response_argument_count, 2, 1, 0};
    static_assert(std::variant_size_v<guard::Action> == std::size(counts));
    return counts[action.index()];
}

/// A record that another claim made.
std::optional<ClaimAnswer> read_existing(FieldReader& in, const guard::ClaimRequest& request) {
    const auto now = in.time();
    auto stored = parse_record(in.text(), request.route);
    const auto content = in.text();
    guard::Existing existing;
    existing.now = now;
    existing.unknown = read_unknown_change(in);
    if (!stored || !in.at_end()) {
        return std::nullopt;
    }
    auto& record = stored->record;
    existing.relation = guard::relate(record.identity, request.identity);
    existing.caller_same = record.identity.caller == request.identity.caller;
    auto seen = guard::read_at(std::move(record), now);
    if (!seen) {
        // It reads as absent: the script would have granted the claim.
        return std::nullopt;
    }
    record = std::move(*seen);
    if (record.state != RecordState::completed || existing.relation != guard::Relation::same || !existing.caller_same) {
        record.response.reset();
    } else if (!add_content(*stored, content)) {
        return std::nullopt;
    }
    existing.record = std::move(record);
    return ClaimAnswer{now, std::move(existing)};
}

/// The first claim of a key: nothing that its sender did not know, but the clock.
std::optional<ClaimAnswer> read_first(FieldReader& in, const guard::ClaimRequest& request) {
    const auto now = in.time();
    const guard::Claimed claimed{{request.owner, {to_micros(now)}, {1}, request.operation_id, false},
                                 std::chrono::floor<milliseconds>(microseconds{micros(request.lifetimes.lease)})};
    return in.at_end() ? std::optional(ClaimAnswer{now, claimed}) : std::nullopt;
}

std::optional<ClaimAnswer> read_claimed(FieldReader& in, const OwnerToken& owner) {
    guard::Claim claim;
    const auto now = in.time();
    const milliseconds lease{in.number<std::int64_t>()};
    claim.owner = owner;
    claim.fence.value = in.number<std::int64_t>(1);
    claim.attempt.value = in.number<std::uint32_t>(1);
    claim.operation_id.value = in.number<std::int64_t>();
    claim.may = in.either("1", "0");
    const guard::Claimed claimed{claim, lease, read_unknown_change(in)};
    return in.at_end() ? std::optional(ClaimAnswer{now, claimed}) : std::nullopt;
}

std::optional<guard::CommandVerdict> parse_verdict(std::string_view word) {
    using enum guard::CommandVerdict;
    constexpr std::pair<std::string_view, guard::CommandVerdict> words[] = {
        {"applied", applied}, {"rewritten", rewritten}, {"fenced", fenced}, {"lapsed", lapsed}, {"incomplete", incomplete}};
    const auto* const found =
        std::find_if(std::begin(words), std::end(words), [&](const auto& row) { return row.first == word; });
    return found == std::end(words) ? std::nullopt : std::optional(found->second);
}

}  // namespace

void write_claim(std::string& out, const Keyspace& keys, const guard::ClaimRequest& request, ScriptForm form) {
    auto command = begin_script(out, claim_script, form, 2, shared_argument_count + 2);
    keys.append_record_keys(command, request.route, request.id);
    write_subject(command, {request.owner, request.operation_id, request.identity, request.lifetimes});
    command.number(to_micros(request.deadline));
    command.text(request.on_unknown == guard::UnknownPolicy::reforward ? "reforward" : "hold");
}

void write_command(std::string& out, const Keyspace& keys, const guard::Command& command, ScriptForm form) {
    constexpr std::size_t own_argument_count = 5;
    const auto& claim = command.claim;
    const auto bytes_in_pieces = guard::bytes_in_pieces(command.action);
    const bool in_pieces = bytes_in_pieces > 0;
    auto writer =
        begin_script(out, command_script, form, in_pieces ? 3 : 2,
                     shared_argument_count + own_argument_count + argument_count_of(command.action) + (in_pieces ? 1 : 0));
    keys.append_record_keys(writer, command.route, command.id);
    if (in_pieces) {
        writer.text(keys.pieces_key(command.route, {command.id, claim.fence}));
    }
    write_subject(writer, {claim.owner, claim.operation_id, command.identity, command.lifetimes});
    writer.text(name_of(command.action)).number(claim.fence.value).number(claim.attempt.value).text(digit(claim.may));
    writer.number(micros(command.lifetimes.retention));
    std::visit(ActionWriter{writer}, command.action);
    if (in_pieces) {
        writer.number(static_cast<std::int64_t>(guard::piece_count(bytes_in_pieces)));
    }
}

void write_append(std::string& out, const Keyspace& keys, const guard::ContentPiece& piece, ScriptForm form) {
    auto writer = begin_script(out, append_script, form, 2, 4);
    keys.append_record_key(writer, piece.route, piece.of.id);
    writer.text(keys.pieces_key(piece.route, piece.of));
    writer.hex(piece.owner.bytes).number(piece.index).text(piece.bytes).number(piece.keep.count());
}

void write_worker_lease(std::string& out, const Keyspace& keys, const WorkerLeaseRequest& request, ScriptForm form) {
    auto command = begin_script(out, worker_script, form, 1, 5);
    command.text(keys.workers()).hex(request.owner.bytes).number(request.wanted).number(to_micros(request.clock));
    command.number(micros(request.horizon)).number(micros(request.lease));
}

std::optional<ClaimAnswer> read_claim(const Reply& reply, const guard::ClaimRequest& request) {
    FieldReader in(reply);
    const auto word = in.text();
    if (word == "first") {
        return read_first(in, request);
    }
    if (word == "claimed") {
        return read_claimed(in, request.owner);
    }
    if (word == "record") {
        return read_existing(in, request);
    }
    const auto now = in.time();
    return word == "late" && in.at_end() ? std::optional(ClaimAnswer{now, guard::Late{}}) : std::nullopt;
}

std::optional<CommandAnswer> read_command(const Reply& reply) {
    FieldReader in(reply);
    const auto verdict = parse_verdict(in.text());
    CommandAnswer answer;
    answer.now = in.time();
    answer.reply.state = read_state(in);
    answer.reply.may = in.either("1", "0");
    answer.reply.unknown = read_unknown_change(in);
    if (!verdict || !in.at_end()) {
        return std::nullopt;
    }
    answer.reply.verdict = *verdict;
    return answer;
}

std::optional<AppendAnswer> read_append(const Reply& reply) {
    FieldReader in(reply);
    AppendAnswer answer;
    answer.verdict = in.either("appended", "fenced") ? guard::PieceVerdict::appended : guard::PieceVerdict::fenced;
    answer.now = in.time();
    return in.at_end() ? std::optional(answer) : std::nullopt;
}

std::optional<WorkerAnswer> read_worker_lease(const Reply& reply) {
    FieldReader in(reply);
    const bool leased = in.either("leased", "taken");
    WorkerAnswer answer;
    answer.now = in.time();
    if (leased) {
        WorkerLease lease;
        lease.worker_id = in.number<int>();
        lease.usable_from = in.time();
        lease.confirmed_until = in.time();
        answer.lease = lease;
    }
    return in.at_end() ? std::optional(answer) : std::nullopt;
}

std::optional<StoreTime> read_clock(const Reply& reply) {
    FieldReader in(reply);
    in.text();
    const auto now = in.time();
    return in.at_end() ? std::optional(now) : std::nullopt;
}

}  // namespace onceward::store::redis
