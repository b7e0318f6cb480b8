#include "store/redis/record_text.hpp"

#include "onceward/base/hex.hpp"
#include "onceward/base/time.hpp"

#include <algorithm>
#include <charconv>
#include <concepts>
#include <cstdint>
#include <limits>
#include <system_error>

namespace onceward::store::redis {

namespace {

using guard::RecordState;

/// Reads words with one space between, line by line. Once one is not what it should be, all that follow are refused as well.
class RecordReader {
public:
    explicit RecordReader(std::string_view text) : rest_(text) { take_line(); }

    [[nodiscard]] bool at_line_end() const { return line_.empty() && !is_open_; }
    [[nodiscard]] bool at_end() const { return ok_ && at_line_end() && is_last_; }

    /// What is left of the line.
    std::string_view remainder() {
        const auto text = line_;
        line_ = {};
        is_open_ = false;
        return text;
    }
    std::string_view word() {
        const auto space = line_.find(' ');
        const auto word = line_.substr(0, space);
        is_open_ = space != std::string_view::npos;
        line_.remove_prefix(is_open_ ? space + 1 : line_.size());
        require(!word.empty());
        return word;
    }
    /// The line must be over, and another follow.
    void next_line() {
        require(at_line_end() && !is_last_);
        take_line();
    }
    /// A word that is filled up with spaces to `width`.
    std::string_view padded(std::size_t width) {
        const auto text = line_.substr(0, width);
        const auto word = text.substr(0, text.find(' '));
        require(text.size() == width && text.find_first_not_of(' ', word.size()) == std::string_view::npos);
        line_.remove_prefix(text.size());
        require(line_.starts_with(' '));
        line_.remove_prefix(line_.empty() ? 0 : 1);
        return word;
    }
    template <std::integral Number>
    Number number(Number least = 0, Number most = std::numeric_limits<Number>::max()) {
        const auto digits = word();
        Number number{};
        const auto* const end = digits.data() + digits.size();
        const auto result = std::from_chars(digits.data(), end, number);
        require(result.ec == std::errc{} && result.ptr == end && number >= least && number <= most);
        return number;
    }
    StoreTime time() {
        constexpr std::int64_t most = 999'999'999'999'999'999;
        return from_micros(number<std::int64_t>(0, most));
    }
    template <typename Bytes>
    void bytes(std::string_view hex, Bytes& to) {
        require(base::from_hex(hex, to.bytes));
    }
    bool either(std::string_view yes, std::string_view no) {
        const auto text = word();
        require(text == yes || text == no);
        return text == yes;
    }
    void require(bool condition) { ok_ = ok_ && condition; }

private:
    void take_line() {
        const auto end = rest_.find('\n');
        line_ = rest_.substr(0, end);
        is_last_ = end == std::string_view::npos;
        rest_.remove_prefix(is_last_ ? rest_.size() : end + 1);
    }
    std::string_view rest_;
    std::string_view line_;
    bool is_open_ = false;  ///< a space follows the last word
    bool is_last_ = false;
    bool ok_ = true;
};

RecordState read_stored_state(RecordReader& in) {
    constexpr std::size_t width = 10;
    const auto state = guard::parse_record_state(in.padded(width));
    in.require(state && *state != RecordState::expired);
    return state.value_or(RecordState::unknown);
}

void read_identity(RecordReader& in, guard::RequestIdentity& identity) {
    auto hex = in.word();
    const auto take = [&](auto& to) {
        const auto size = 2 * to.bytes.size();
        in.bytes(hex.substr(0, size), to);
        hex.remove_prefix(std::min(hex.size(), size));
    };
    take(identity.version);
    take(identity.fingerprint);
    take(identity.raw);
    take(identity.caller);
    in.require(hex.empty());
}

/// Only a record that has failed says how.
void read_failure(RecordReader& in, guard::Record& record) {
    const auto word = in.word();
    const auto kind = guard::parse_failure_kind(word);
    in.require(record.state == RecordState::failed ? kind.has_value() : word == "-");
    record.failure = kind.value_or(guard::FailureKind::not_executed);
}

void read_answer(RecordReader& in, StoredRecord& stored) {
    constexpr int least_status = 100;
    auto& response = stored.record.response.emplace();
    response.status = in.number<int>(least_status);
    response.truncated = in.either("1", "0");
    in.bytes(in.word(), response.digest);
    stored.head_size = in.number<std::size_t>();
    stored.body_size = in.number<std::size_t>();
    if (!in.at_line_end()) {
        response.bytes_in_pieces = in.number<std::uint64_t>(1);
        in.require(stored.body_size == 0);
    }
}

}  // namespace

std::optional<StoredRecord> parse_record(std::string_view text, const std::string& route) {
    StoredRecord stored;
    auto& record = stored.record;
    RecordReader in(text);
    in.require(in.word() == "2");
    record.state = read_stored_state(in);
    record.may = in.either("1", "0");
    in.bytes(in.word(), record.owner);
    const auto until = in.time();
    read_identity(in, record.identity);
    const auto last_owner = in.word();
    if (last_owner != "-") {
        in.bytes(last_owner, record.last_owner);
    }
    record.fence.value = in.number<std::int64_t>(1);
    record.attempt.value = in.number<std::uint32_t>(1);
    record.operation_id.value = in.number<std::int64_t>();
    record.created_at = in.time();
    record.identity.parts = in.remainder();
    in.next_line();
    record.updated_at = in.time();
    const auto other = in.time();
    const bool is_processing = record.state == RecordState::processing;
    record.lease_until = is_processing ? until : other;
    record.keep_until = is_processing ? other : until;
    record.forget_at = in.time();
    read_failure(in, record);
    if (record.state == RecordState::completed) {
        read_answer(in, stored);
    }
    in.next_line();
    record.evidence = in.remainder();
    if (!in.at_end()) {
        return std::nullopt;
    }
    record.route = route;
    return stored;
}

bool add_content(StoredRecord& stored, std::string_view text) {
    auto& response = *stored.record.response;
    if (stored.head_size == 0 && stored.body_size == 0) {
        // Nothing is stored for a response without a head and a content; what is there then is another's.
        return true;
    }
    if (stored.head_size > text.size() || text.size() - stored.head_size != stored.body_size) {
        return false;
    }
    response.head = text.substr(0, stored.head_size);
    response.body = text.substr(stored.head_size);
    return true;
}

}  // namespace onceward::store::redis
