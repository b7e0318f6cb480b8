// Records of Redis: whatever a script's reply holds is read by its exact shape or not at all, and every command is written whole.

#include "store/redis/record_codec.hpp"

#include "onceward/base/assert.hpp"
#include "store/redis/operator_codec.hpp"

#include <algorithm>
#include <cstdint>
#include <deque>
#include <string>

using namespace onceward;
using namespace onceward::store::redis;

namespace {

/// Each line is a value, bulk but for a lone `~`: nil. `|` stands for the ends of lines that a value has itself.
Reply reply_of(std::string_view text, std::deque<std::string>& lines) {
    Reply reply;
    reply.is_array = true;
    while (!text.empty() && reply.values.size() < ReplyReader::array_max) {
        auto& line = lines.emplace_back(text.substr(0, text.find('\n')));
        text.remove_prefix(std::min(text.size(), line.size() + 1));
        std::replace(line.begin(), line.end(), '|', '\n');
        reply.values.push_back(line == "~" ? Value{} : Value{ValueKind::bulk, line, 0});
    }
    return reply;
}

void check_existing(const guard::Existing& existing) {
    const auto& record = existing.record;
    ONCEWARD_ASSERT(record.fence.value >= 1 && record.attempt.value >= 1 && record.operation_id.value >= 0);
    const bool shown = existing.caller_same && existing.relation == guard::Relation::same;
    ONCEWARD_ASSERT(record.response.has_value() == (shown && record.state == guard::RecordState::completed));
    ONCEWARD_ASSERT(!record.response || record.response->status >= 100);
}

/// What can be read has no value too few and none too many; only the change of a count may be left out.
template <typename Read>
void check_shape(Reply reply, Read read) {
    if (!read(reply)) {
        return;
    }
    reply.values.push_back({ValueKind::bulk, "", 0});
    ONCEWARD_ASSERT(!read(reply));
    reply.values.pop_back();
    const auto last = reply.values.back().text;
    reply.values.pop_back();
    ONCEWARD_ASSERT(!read(reply) || last == "1" || last == "-1");
}

/// A server that reads `text` finds one command in it and nothing behind.
void check_command(std::string_view text) {
    ReplyReader reader;
    reader.feed(text);
    const auto* command = reader.next();
    ONCEWARD_ASSERT(command != nullptr && command->is_array && command->values.size() > 3);
    ONCEWARD_ASSERT(reader.next() == nullptr && !reader.is_broken());
    reader.feed("+OK\r\n");
    ONCEWARD_ASSERT(reader.next() != nullptr);
}

void check_commands(std::string_view text) {
    const Keyspace keys("p");
    guard::ClaimRequest claim;
    claim.route = "orders";
    claim.identity.parts = text;
    guard::RecordedResponse response;
    response.head = text;
    response.body = text;
    std::string out;
    write_claim(out, keys, claim, ScriptForm::by_hash);
    check_command(out);
    for (const auto& action : {guard::Action(guard::Complete{response}), guard::Action(guard::MarkUnknown{std::string(text)})}) {
        out.clear();
        write_command(out, keys, {claim.id, claim.route, {}, claim.identity, {}, action}, ScriptForm::in_full);
        check_command(out);
    }
    guard::OperatorCommand word;
    word.route = text;
    word.action = guard::ResolveCompleted{response};
    out.clear();
    write_operator_command(out, keys, word, ScriptForm::by_hash);
    check_command(out);
    out.clear();
    write_list(out, {std::string(text), keys.record_pattern(text), 10, {}}, ScriptForm::by_hash);
    check_command(out);
}

void check_found(const Reply& reply) {
    const RecordId id;
    for (const auto detail : {store::Detail::fields, store::Detail::content}) {
        const auto answer = read_find(reply, {"orders", id, detail});
        ONCEWARD_ASSERT(!answer || !answer->found || answer->found->record.fence.value >= 1);
        check_shape(reply, [&](const Reply& of) { return read_find(of, {"orders", id, detail}); });
    }
}

/// A reply of any other size is refused whole; within it each record is read or not.
void check_listed(const Reply& reply) {
    const Keyspace keys("p");
    const auto answer = read_list(reply, keys);
    ONCEWARD_ASSERT(!answer || answer->records.size() <= reply.values.size() / 2);
    check_shape(reply, [&](const Reply& of) { return read_list(of, keys); });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    std::deque<std::string> lines;
    const auto reply = reply_of(text, lines);
    guard::ClaimRequest request;
    // Of the corpus: so that answers are shown as well.
    for (auto* digest : {&request.identity.fingerprint, &request.identity.raw, &request.identity.caller}) {
        digest->bytes.fill(0xcc);
    }
    request.identity.version.bytes.fill(0xaa);
    if (const auto answer = read_claim(reply, request); answer && std::holds_alternative<guard::Existing>(answer->reply)) {
        check_existing(std::get<guard::Existing>(answer->reply));
    }
    check_shape(reply, [&](const Reply& of) { return read_claim(of, request); });
    check_shape(reply, read_command);
    check_shape(reply, read_worker_lease);
    check_shape(reply, [](const Reply& of) { return read_operator_command(of, {}); });
    check_found(reply);
    check_listed(reply);
    check_commands(text);
    return 0;
}
