#include "store/redis/record_fields.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

namespace onceward::store::redis {

namespace {

using guard::RecordState;

/// No sum of the clock and two of these overflows; a time beyond is as good as never.
constexpr microseconds longest_lifetime{100'000'000'000'000'000};

/// Only a record that has failed needs to say how.
guard::FailureKind read_failure(FieldReader& in, RecordState state) {
    const auto kind = guard::parse_failure_kind(in.text());
    if (!kind && state == RecordState::failed) {
        in.refuse();
    }
    return kind.value_or(guard::FailureKind::not_executed);
}

guard::RequestIdentity read_identity(FieldReader& in) {
    guard::RequestIdentity identity;
    identity.version = in.bytes<guard::FingerprintVersion>();
    identity.fingerprint = in.bytes<Digest>();
    identity.raw = in.bytes<Digest>();
    identity.caller = in.bytes<Digest>();
    identity.parts = in.text();
    return identity;
}

}  // namespace

std::int64_t micros(milliseconds duration) {
    return duration >= std::chrono::floor<milliseconds>(longest_lifetime) ? longest_lifetime.count()
                                                                          : microseconds{duration}.count();
}

std::string_view digit(bool value) {
    return value ? "1" : "0";
}

void write_subject(CommandWriter& out, const Subject& subject) {
    out.hex(subject.owner.bytes).number(subject.operation_id.value).text(subject.route);
    const auto& identity = subject.identity;
    out.hex({identity.version.bytes, identity.fingerprint.bytes, identity.raw.bytes, identity.caller.bytes});
    out.text(identity.parts);
    const auto& lifetimes = subject.lifetimes;
    out.number(micros(lifetimes.lease)).number(micros(lifetimes.unknown_retention)).number(micros(lifetimes.tombstone));
}

void write_response(CommandWriter& out, const guard::RecordedResponse& response) {
    out.number(response.status).text(digit(response.truncated)).hex(response.digest.bytes);
    if (response.bytes_in_pieces > 0) {
        out.text(std::to_string(response.head.size()) + " 0 " + std::to_string(response.bytes_in_pieces)).text(response.head);
        return;
    }
    out.numbers(response.head.size(), response.body.size()).text(response.head, response.body);
}

RecordState read_state(FieldReader& in) {
    const auto state = guard::parse_record_state(in.text());
    if (!state) {
        in.refuse();
    }
    return state.value_or(RecordState::unknown);
}

OwnerToken read_last_owner(FieldReader& in) {
    OwnerToken owner;
    const auto text = in.text();
    if (!text.empty() && !base::from_hex(text, owner.bytes)) {
        in.refuse();
    }
    return owner;
}

StoredResponse read_response(FieldReader& in) {
    constexpr int least_status = 100;
    StoredResponse stored;
    stored.response.status = in.number<int>(least_status);
    stored.response.truncated = in.either("1", "0");
    stored.response.digest = in.bytes<Digest>();
    const auto sizes = in.text();
    const auto space = std::min(sizes.find(' '), sizes.size());
    stored.head_size = in.number<std::size_t>(sizes.substr(0, space));
    const auto rest = sizes.substr(std::min(space + 1, sizes.size()));
    const auto behind = rest.find(' ');
    stored.body_size = in.number<std::size_t>(rest.substr(0, behind));
    if (behind != std::string_view::npos) {
        stored.response.bytes_in_pieces = in.number<std::uint64_t>(rest.substr(behind + 1), 1);
        in.require(stored.body_size == 0);
    }
    return stored;
}

guard::RecordedResponse put_together(FieldReader& in, StoredResponse stored, std::string_view text) {
    if (stored.head_size > text.size() || text.size() - stored.head_size != stored.body_size) {
        // Nothing is stored for a response without a head and a content; what is there then is another's.
        if (stored.head_size != 0 || stored.body_size != 0) {
            in.refuse();
        }
        return std::move(stored.response);
    }
    stored.response.head = text.substr(0, stored.head_size);
    stored.response.body = text.substr(stored.head_size);
    return std::move(stored.response);
}

guard::UnknownChange read_unknown_change(FieldReader& in) {
    if (in.at_end()) {
        return guard::UnknownChange::none;
    }
    return in.either("1", "-1") ? guard::UnknownChange::one_more : guard::UnknownChange::one_less;
}

guard::Record read_record(FieldReader& in) {
    guard::Record record;
    record.state = read_state(in);
    record.route = in.text();
    record.owner = in.bytes<OwnerToken>();
    record.last_owner = read_last_owner(in);
    record.fence.value = in.number<std::int64_t>(1);
    record.attempt.value = in.number<std::uint32_t>(1);
    record.operation_id.value = in.number<std::int64_t>();
    record.identity = read_identity(in);
    record.may = in.either("1", "0");
    record.failure = read_failure(in, record.state);
    record.evidence = in.text();
    record.created_at = in.time();
    record.updated_at = in.time();
    record.lease_until = in.time();
    record.keep_until = in.time();
    record.forget_at = in.time();
    return record;
}

void skip_response(FieldReader& in) {
    constexpr int field_count = 4;
    for (int i = 0; i < field_count; ++i) {
        in.text();
    }
}

}  // namespace onceward::store::redis
