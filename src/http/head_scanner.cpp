#include "onceward/base/ascii.hpp"
#include "onceward/http/message_parser.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>

namespace onceward::http {

namespace {

// No field value, target or phrase may hold one of these (RFC 9110 section 5.5); CR and LF are line ends or an attack.
constexpr auto controls = [] {
    std::array<bool, 256> table{};
    for (std::size_t c = 0; c < 0x20; ++c) {
        table[c] = c != '\t';
    }
    table[0x7f] = true;
    return table;
}();

using Word = std::uint64_t;
constexpr Word ones = ~Word{0} / 0xff;
constexpr Word tops = ones * 0x80;

/// Whether one of the eight bytes at `from` is below 0x20 or is 0x7f; a tab counts, so that it must be looked at more closely.
bool may_hold_control(const char* from) {
    Word word = 0;
    std::memcpy(&word, from, sizeof word);
    const Word below_space = (word - ones * 0x20) & ~word & tops;
    const Word flipped = word ^ ones * 0x7f;
    const Word is_delete = (flipped - ones) & ~flipped & tops;
    return (below_space | is_delete) != 0;
}

std::size_t find_control(std::string_view text, std::size_t from) {
    while (from + sizeof(Word) <= text.size() && !may_hold_control(text.data() + from)) {
        from += sizeof(Word);
    }
    while (from < text.size() && !controls[static_cast<unsigned char>(text[from])]) {
        ++from;
    }
    return from;
}

// Method and version beside the target, with room for any method that exists.
constexpr std::size_t request_line_overhead = 64;
constexpr std::string_view version_prefix = " HTTP/1.";
constexpr std::string_view status_prefix = "HTTP/1.";
constexpr std::size_t bare_status_line_size = std::string_view("HTTP/1.1 200").size();

bool ends_in_version(std::string_view line) {
    return line.size() > version_prefix.size() && (line.back() == '0' || line.back() == '1') &&
           line.substr(line.size() - version_prefix.size() - 1, version_prefix.size()) == version_prefix;
}

}  // namespace

void HeadScanner::restart() {
    begin_ = 0;
    line_at_ = 0;
    scanned_ = 0;
    line_count_ = 0;
}

/// The start line as far as it is there: what is not HTTP/1 is refused without waiting for a line end that may never come.
HeadError HeadScanner::check_start(std::string_view partial) const {
    if (kind_ == Kind::response) {
        return status_prefix.substr(0, partial.size()) == partial.substr(0, status_prefix.size()) ? HeadError::none
                                                                                                  : HeadError::bad_request;
    }
    if (partial.size() > limits_.target + request_line_overhead) {
        return HeadError::target_too_long;
    }
    return partial.empty() || base::is_token_char(partial.front()) ? HeadError::none : HeadError::bad_request;
}

HeadError HeadScanner::check_line(std::string_view line) {
    ++line_count_;
    if (line_count_ > 1) {
        // RFC 9112 section 5.2: obs-fold; or white space before the first field (section 2.2).
        if (line.front() == ' ' || line.front() == '\t') {
            return HeadError::bad_request;
        }
        return line_count_ - 1 > limits_.fields ? HeadError::headers_too_large : HeadError::none;
    }
    if (const HeadError error = check_start(line); error != HeadError::none) {
        return error;
    }
    const bool complete = kind_ == Kind::request ? ends_in_version(line) : line.size() >= bare_status_line_size;
    return complete ? HeadError::none : HeadError::bad_request;
}

HeadScanner::Result HeadScanner::scan(std::string_view buffered) {
    if (kind_ == Kind::request && begin_ == 0 && buffered.substr(0, 2) == "\r\n") {
        // RFC 9112 section 2.2: one empty line before the request line is skipped.
        begin_ = line_at_ = scanned_ = 2;
    }
    for (;;) {
        const std::size_t at = find_control(buffered, scanned_);
        scanned_ = at;
        if (at - begin_ + 2 > limits_.bytes) {
            return {ParseState::failed, line_count_ == 0 ? HeadError::target_too_long : HeadError::headers_too_large};
        }
        if (at + 1 < buffered.size() ? buffered[at] != '\r' || buffered[at + 1] != '\n'
                                     : at < buffered.size() && buffered[at] != '\r') {
            return {ParseState::failed, HeadError::bad_request};
        }
        const std::string_view line = buffered.substr(line_at_, at - line_at_);
        if (at + 1 >= buffered.size()) {
            const HeadError error = line_count_ == 0 ? check_start(line) : HeadError::none;
            return {error == HeadError::none ? ParseState::need_more : ParseState::failed, error};
        }
        line_at_ = scanned_ = at + 2;
        if (line.empty()) {
            return line_count_ > 0 ? Result{ParseState::done, HeadError::none}
                                   : Result{ParseState::failed, HeadError::bad_request};
        }
        if (const HeadError error = check_line(line); error != HeadError::none) {
            return {ParseState::failed, error};
        }
    }
}

}  // namespace onceward::http
