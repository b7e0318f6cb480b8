#include "store/redis/operator_codec.hpp"

#include "onceward/guard/record_machine.hpp"
#include "store/redis/field_reader.hpp"
#include "store/redis/record_text.hpp"
#include "store/redis/script_arguments.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace onceward::store::redis {

namespace {

using guard::RecordState;

std::string_view name_of(const guard::OperatorAction& action) {
    constexpr std::string_view names[] = {"release", "completed", "failed"};
    static_assert(std::variant_size_v<guard::OperatorAction> == std::size(names));
    return names[action.index()];
}

/// How a record that operate.lua shows reads, without its content.
std::optional<guard::Record> read_shown(FieldReader& in, StoreTime now, const guard::OperatorCommand& command) {
    auto stored = parse_record(in.text(), command.route);
    auto seen = stored ? guard::read_at(std::move(stored->record), now, command.lifetimes) : std::nullopt;
    in.require(seen.has_value());
    return seen;
}

std::optional<guard::OperatorVerdict> parse_operator_verdict(std::string_view word) {
    using enum guard::OperatorVerdict;
    for (const auto verdict : {applied, absent, conflict, needs_force}) {
        if (word == to_text(verdict)) {
            return verdict;
        }
    }
    return std::nullopt;
}

/// Stored states of which records can read as `state`, each between commas; empty for all.
std::string_view stored_as(std::optional<RecordState> state) {
    if (!state) {
        return "";
    }
    switch (*state) {
        case RecordState::processing:
            return ",PROCESSING,";
        case RecordState::completed:
            return ",COMPLETED,";
        case RecordState::failed:
            return ",FAILED,";
        case RecordState::unknown:
            return ",UNKNOWN,PROCESSING,";
        case RecordState::expired:
            return ",UNKNOWN,PROCESSING,COMPLETED,";
    }
    return "";
}

}  // namespace

void write_operator_command(std::string& out, const Keyspace& keys, const guard::OperatorCommand& command, ScriptForm form) {
    constexpr std::size_t own_argument_count = 5;
    static const OwnerToken nobody;
    static const guard::RequestIdentity no_identity;
    const auto* const completed = std::get_if<guard::ResolveCompleted>(&command.action);
    auto writer = begin_script(out, operate_script, form, 3,
                               shared_argument_count + own_argument_count + (completed != nullptr ? response_argument_count : 0));
    keys.append_record_keys(writer, command.route, command.id);
    writer.text(keys.pieces_key(command.route, {command.id, command.fence}));
    write_subject(writer, {nobody, {}, no_identity, command.lifetimes});
    writer.text(name_of(command.action)).number(command.fence.value);
    writer.text(command.state ? guard::to_text(*command.state) : std::string_view());
    writer.text(command.force == guard::Force::yes ? "yes" : "no").number(micros(command.lifetimes.retention));
    if (completed != nullptr) {
        write_response(writer, completed->response);
    }
}

void write_find(std::string& out, const Keyspace& keys, const RecordPlace& place, ScriptForm form) {
    auto command = begin_script(out, find_script, form, 2, 1);
    keys.append_record_keys(command, place.route, place.id);
    command.text(place.detail == Detail::content ? "content" : "fields");
}

void write_list(std::string& out, const ListStep& step, ScriptForm form) {
    auto command = begin_script(out, list_script, form, 0, 4);
    command.text(step.scan).text(step.pattern).number(static_cast<std::int64_t>(step.count)).text(stored_as(step.state));
}

std::optional<OperatorAnswer> read_operator_command(const Reply& reply, const guard::OperatorCommand& command) {
    FieldReader in(reply);
    const auto verdict = parse_operator_verdict(in.text());
    OperatorAnswer answer;
    answer.now = in.time();
    answer.reply.verdict = verdict.value_or(guard::OperatorVerdict::absent);
    if (answer.reply.verdict != guard::OperatorVerdict::absent) {
        answer.reply.before = read_shown(in, answer.now, command);
    }
    if (answer.reply.verdict == guard::OperatorVerdict::applied) {
        answer.reply.after = read_shown(in, answer.now, command);
        answer.reply.unknown = read_unknown_change(in);
    }
    return verdict && in.at_end() ? std::optional(std::move(answer)) : std::nullopt;
}

std::optional<FindAnswer> read_find(const Reply& reply, const RecordPlace& place) {
    FieldReader in(reply);
    const bool is_there = in.either("record", "absent");
    FindAnswer answer;
    answer.now = in.time();
    if (is_there) {
        auto stored = parse_record(in.text(), std::string(place.route));
        const auto content = in.text();
        if (!stored) {
            return std::nullopt;
        }
        if (auto seen = guard::read_at(std::move(stored->record), answer.now)) {
            stored->record = std::move(*seen);
            const bool shows_content = stored->record.state == RecordState::completed && place.detail == Detail::content;
            if (shows_content && !add_content(*stored, content)) {
                return std::nullopt;
            }
            answer.found.emplace(FoundRecord{place.id, std::move(stored->record)});
        }
    }
    return in.at_end() ? std::optional(std::move(answer)) : std::nullopt;
}

std::optional<ListAnswer> read_list(const Reply& reply, const Keyspace& keys) {
    constexpr std::size_t own_count = 2;
    const std::span<const Value> values(reply.values);
    if (!reply.is_array || values.size() < own_count || values.size() % 2 != 0) {
        return std::nullopt;
    }
    FieldReader in(values.first(own_count));
    ListAnswer answer;
    answer.scan = in.text();
    answer.now = in.time();
    if (!in.at_end()) {
        return std::nullopt;
    }
    for (auto rest = values.subspan(own_count); !rest.empty(); rest = rest.subspan(2)) {
        ListedRecord listed;
        // A key of another make than a record's is not ours.
        if (keys.parse_record_key(rest[0].text, listed.route, listed.id)) {
            if (auto stored = parse_record(rest[1].text, listed.route)) {
                listed.record = std::move(stored->record);
            }
            answer.records.push_back(std::move(listed));
        }
    }
    return answer;
}

}  // namespace onceward::store::redis
