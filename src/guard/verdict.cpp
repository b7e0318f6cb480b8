#include "onceward/guard/verdict.hpp"

#include "onceward/base/ascii.hpp"

#include <algorithm>

namespace onceward::guard {

namespace {

/// What `Retry-After` says where no lease tells how long it takes: a store is asked again after a second.
constexpr milliseconds shortest_retry{1'000};

Refuse refuse(ProblemCode code) {
    Refuse answer;
    answer.code = code;
    answer.retry = info(code).retry;
    return answer;
}

Refuse refuse_by_store(ProblemCode code) {
    auto answer = refuse(code);
    answer.retry_after = shortest_retry;
    answer.show_operation_id = false;
    return answer;
}

Refuse refuse_other_caller() {
    auto answer = refuse(ProblemCode::key_reused);
    answer.mismatch = {"caller"};
    answer.retry = Retry::none;
    answer.show_operation_id = false;
    return answer;
}

Refuse refuse_other_request(const Record& record, const RequestIdentity& request) {
    auto answer = refuse(ProblemCode::key_reused);
    answer.mismatch = differing_parts(record.identity.parts, request.parts);
    return answer;
}

Verdict decide_completed(const Record& record) {
    if (!record.response) {
        return refuse_by_store(ProblemCode::store_corrupt);
    }
    if (!record.response->truncated) {
        return Replay{};
    }
    auto answer = refuse(ProblemCode::result_too_large);
    answer.original_status = record.response->status;
    return answer;
}

Verdict decide_same(const Existing& existing) {
    switch (existing.record.state) {
        case RecordState::processing:
            return Wait{std::max(std::chrono::ceil<milliseconds>(existing.record.lease_until - existing.now), milliseconds{0})};
        case RecordState::completed:
            return decide_completed(existing.record);
        case RecordState::unknown:
            return refuse(ProblemCode::outcome_unknown);
        case RecordState::expired:
            return refuse(ProblemCode::result_expired);
        case RecordState::failed:
            // A claim by the same request takes a FAILED record over: a store that says otherwise can't be trusted with an
            // execution.
            break;
    }
    return refuse_by_store(ProblemCode::store_corrupt);
}

struct Part {
    std::string_view name;
    std::string_view digest;
    /// A header may be spelt in another case now.
    bool operator==(const Part& other) const { return base::iequals(name, other.name) && digest == other.digest; }
};

std::vector<Part> parse_parts(std::string_view text) {
    std::vector<Part> parts;
    base::for_each_list_member(text, [&parts](std::string_view member) {
        const auto equals = std::min(member.find('='), member.size());
        parts.push_back({member.substr(0, equals), member.substr(equals)});
    });
    return parts;
}

void add_parts_not_in(const std::vector<Part>& others, const std::vector<Part>& parts, std::vector<std::string>& names) {
    for (const auto& part : parts) {
        const bool equal = std::find(others.begin(), others.end(), part) != others.end();
        const auto is_named = [&part](const std::string& name) { return base::iequals(name, part.name); };
        if (!equal && std::none_of(names.begin(), names.end(), is_named)) {
            names.emplace_back(part.name);
        }
    }
}

}  // namespace

Verdict decide(const ClaimReply& reply, const RequestIdentity& request) {
    if (const auto* claimed = std::get_if<Claimed>(&reply)) {
        return Execute{claimed->claim};
    }
    const auto* existing = std::get_if<Existing>(&reply);
    if (existing == nullptr) {
        return refuse_by_store(ProblemCode::store_unavailable);
    }
    if (!existing->caller_same) {
        return refuse_other_caller();
    }
    switch (existing->relation) {
        case Relation::differs:
            return refuse_other_request(existing->record, request);
        case Relation::changed:
            return refuse(ProblemCode::fingerprint_changed);
        case Relation::same:
            break;
    }
    return decide_same(*existing);
}

Refuse refuse_processing(const Wait& wait) {
    auto answer = refuse(ProblemCode::processing);
    answer.retry_after = std::max(wait.lease_left, shortest_retry);
    return answer;
}

std::vector<std::string> differing_parts(std::string_view record_parts, std::string_view request_parts) {
    const auto recorded = parse_parts(record_parts);
    const auto requested = parse_parts(request_parts);
    std::vector<std::string> names;
    add_parts_not_in(recorded, requested, names);
    add_parts_not_in(requested, recorded, names);
    return names;
}

}  // namespace onceward::guard
