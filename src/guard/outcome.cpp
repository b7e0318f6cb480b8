#include "onceward/guard/outcome.hpp"

#include "onceward/base/ascii.hpp"

#include <algorithm>
#include <array>

namespace onceward::guard {

namespace {

/// The request was turned away before the service acted on it (spec section 3).
constexpr std::array proved_not_executed{401, 403, 407, 408, 425, 429};

Judgement judge_declared(std::span<const std::string_view> declared) {
    const auto word = declared.size() == 1 ? base::trim(declared.front()) : std::string_view{};
    if (word == "executed") {
        return {Outcome::completed, {}};
    }
    if (word == "not-executed") {
        return {Outcome::failed_not_executed, "outcome:not-executed"};
    }
    return {Outcome::unknown, "outcome:unknown"};
}

}  // namespace

Judgement judge(const Answer& answer, const config::Outcomes& outcomes) {
    if (!answer.declared.empty()) {
        return judge_declared(answer.declared);
    }
    const auto evidence = "status:" + std::to_string(answer.status);
    // What is no status of a known class counts as a server error (RFC 9110 section 15) where that holds a key. It frees none: no
    // list names it, so it is an answer like any other (spec section 3).
    if (outcomes.hold.contains(answer.status > 599 ? 500 : answer.status)) {
        return {Outcome::unknown, evidence};
    }
    if (answer.redirects_to_itself) {
        return {Outcome::failed_not_executed, "redirect"};
    }
    if (!outcomes.fail.contains(answer.status)) {
        return {Outcome::completed, {}};
    }
    const bool proved =
        std::find(proved_not_executed.begin(), proved_not_executed.end(), answer.status) != proved_not_executed.end();
    return {proved ? Outcome::failed_not_executed : Outcome::failed_answered, evidence};
}

}  // namespace onceward::guard
