#include "config/text.hpp"

#include "onceward/base/ascii.hpp"
#include "onceward/config/load.hpp"

#include <algorithm>
#include <numeric>

namespace onceward::config {

namespace {

constexpr std::size_t shown_max = 60;

bool is_control(unsigned char c) {
    return c < 0x20 || c == 0x7f;
}
bool is_continuation(unsigned char c) {
    return (c & 0xc0U) == 0x80;
}

/// Length of the well-formed UTF-8 sequence at the start of `text`; 0 when there is none (RFC 3629 section 4).
std::size_t sequence_length(std::string_view text) {
    const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U; };
    const unsigned first = byte(0);
    const unsigned second = byte(1);
    if (first < 0x80) {
        return 1;
    }
    if (first >= 0xc2 && first <= 0xdf) {
        return is_continuation(static_cast<unsigned char>(second)) ? 2 : 0;
    }
    const bool rest = is_continuation(static_cast<unsigned char>(second)) && is_continuation(static_cast<unsigned char>(byte(2)));
    if (first >= 0xe0 && first <= 0xef) {
        const bool overlong = first == 0xe0 && second < 0xa0;
        const bool surrogate = first == 0xed && second > 0x9f;
        return rest && !overlong && !surrogate ? 3 : 0;
    }
    if (first >= 0xf0 && first <= 0xf4) {
        const bool overlong = first == 0xf0 && second < 0x90;
        const bool too_large = first == 0xf4 && second > 0x8f;
        return rest && is_continuation(static_cast<unsigned char>(byte(3))) && !overlong && !too_large ? 4 : 0;
    }
    return 0;
}

/// Number of insertions, removals and exchanges of one letter, and swaps of two neighbours, that turn `a` into `b`.
std::size_t edit_distance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> before_last(b.size() + 1);
    std::vector<std::size_t> last(b.size() + 1);
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(last.begin(), last.end(), std::size_t{0});
    for (std::size_t i = 1; i <= a.size(); ++i) {
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] == b[j - 1] ? 0U : 1U)});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
                row[j] = std::min(row[j], before_last[j - 2] + 1);
            }
        }
        before_last.swap(last);
        last.swap(row);
    }
    return last[b.size()];
}

}  // namespace

std::optional<std::size_t> unprintable_at(std::string_view text) {
    for (std::size_t i = 0; i < text.size();) {
        const auto c = static_cast<unsigned char>(text[i]);
        const std::size_t length = sequence_length(text.substr(i));
        if (length == 0 || (is_control(c) && c != '\t' && c != '\n' && c != '\r')) {
            return i;
        }
        i += length;
    }
    return std::nullopt;
}

bool is_plain_name(std::string_view text) {
    constexpr std::size_t length_max = 64;
    const auto allowed = [](char c) {
        const char lower = base::to_lower(c);
        return (lower >= 'a' && lower <= 'z') || base::is_digit(c) || c == '.' || c == '_' || c == '-';
    };
    return !text.empty() && text.size() <= length_max && std::all_of(text.begin(), text.end(), allowed);
}

std::string shown(std::string_view value) {
    const std::string text = masked(std::string(value));
    std::string out = "\"";
    std::size_t i = 0;
    while (i < text.size() && i < shown_max) {
        const std::size_t length = std::max<std::size_t>(sequence_length(std::string_view(text).substr(i)), 1);
        out += is_control(static_cast<unsigned char>(text[i])) ? "?" : text.substr(i, length);
        i += length;
    }
    out += i < text.size() ? "...\"" : "\"";
    return out;
}

std::string without_controls(std::string_view text) {
    std::string out(text);
    std::replace_if(
        out.begin(), out.end(), [](char c) { return is_control(static_cast<unsigned char>(c)); }, '?');
    return out;
}

std::string listed(const std::vector<std::string_view>& words) {
    std::string out;
    for (std::size_t i = 0; i < words.size(); ++i) {
        out += i == 0 ? "" : i + 1 == words.size() ? " or " : ", ";
        out += words[i];
    }
    return out;
}

std::string suggestion(std::string_view word, const std::vector<std::string_view>& known) {
    // A wide margin gives the nearest of anything; a narrow one misses a word whose halves were swapped.
    constexpr std::size_t word_max = 64;
    const std::size_t margin = std::max<std::size_t>(2, word.size() / 3);
    const auto lower = base::to_lower(word.substr(0, word_max));
    std::string_view nearest;
    std::size_t distance = margin + 1;
    for (const auto& candidate : known) {
        const std::size_t d = edit_distance(lower, base::to_lower(candidate));
        if (d < distance) {
            nearest = candidate;
            distance = d;
        }
    }
    return nearest.empty() ? "expected " + listed(known) : "did you mean \"" + std::string(nearest) + "\"?";
}

}  // namespace onceward::config
