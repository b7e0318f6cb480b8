#include "store/redis/script_arguments.hpp"

#include <array>
#include <charconv>
#include <chrono>

namespace onceward::store::redis {

namespace {

/// No sum of the clock and two of these overflows; a time beyond is as good as never.
constexpr microseconds longest_lifetime{100'000'000'000'000'000};

/// `status truncated digest sizes`, as a record holds it (start.lua).
class AnswerLine {
public:
    explicit AnswerLine(const guard::RecordedResponse& response) {
        const bool in_pieces = response.bytes_in_pieces > 0;
        number(static_cast<std::uint64_t>(response.status)).text(response.truncated ? " 1 " : " 0 ");
        end_ = base::put_hex(end_, response.digest.bytes);
        text(" ").number(response.head.size()).text(" ").number(in_pieces ? 0 : response.body.size());
        if (in_pieces) {
            text(" ").number(response.bytes_in_pieces);
        }
    }
    [[nodiscard]] std::string_view view() const {
        return {characters_.data(), static_cast<std::size_t>(end_ - characters_.data())};
    }

private:
    AnswerLine& text(std::string_view text) {
        end_ = std::copy(text.begin(), text.end(), end_);
        return *this;
    }
    AnswerLine& number(std::uint64_t number) {
        end_ = std::to_chars(end_, characters_.data() + characters_.size(), number).ptr;
        return *this;
    }
    static constexpr std::size_t longest_number = 20;
    std::array<char, 4 * longest_number + 2 * sizeof(Digest) + sizeof " 0 " + sizeof "   "> characters_{};
    char* end_ = characters_.data();
};

}  // namespace

std::int64_t micros(milliseconds duration) {
    return duration >= std::chrono::floor<milliseconds>(longest_lifetime) ? longest_lifetime.count()
                                                                          : microseconds{duration}.count();
}

std::string_view digit(bool value) {
    return value ? "1" : "0";
}

void write_subject(CommandWriter& out, const Subject& subject) {
    out.hex(subject.owner.bytes).number(subject.operation_id.value);
    const auto& identity = subject.identity;
    out.hex({identity.version.bytes, identity.fingerprint.bytes, identity.raw.bytes, identity.caller.bytes});
    out.text(identity.parts);
    const auto& lifetimes = subject.lifetimes;
    out.number(micros(lifetimes.lease)).number(micros(lifetimes.unknown_retention)).number(micros(lifetimes.tombstone));
}

void write_response(CommandWriter& out, const guard::RecordedResponse& response) {
    out.text(AnswerLine(response).view()).text(response.head, response.body);
}

guard::RecordState read_state(FieldReader& in) {
    const auto state = guard::parse_record_state(in.text());
    if (!state) {
        in.refuse();
    }
    return state.value_or(guard::RecordState::unknown);
}

guard::UnknownChange read_unknown_change(FieldReader& in) {
    if (in.at_end()) {
        return guard::UnknownChange::none;
    }
    return in.either("1", "-1") ? guard::UnknownChange::one_more : guard::UnknownChange::one_less;
}

}  // namespace onceward::store::redis
