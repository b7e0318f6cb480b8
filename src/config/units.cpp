#include "config/units.hpp"

#include "config/text.hpp"
#include "onceward/base/ascii.hpp"

#include <charconv>
#include <limits>
#include <optional>
#include <span>

namespace onceward::config {

namespace {

struct Unit {
    std::string_view name;
    std::uint64_t factor;
};

// Ascending, each a multiple of the one before.
constexpr Unit durations[] = {{"ms", 1}, {"s", 1000}, {"m", 60'000}, {"h", 3'600'000}, {"d", 86'400'000}};
constexpr Unit sizes[] = {{"B", 1}, {"KiB", 1ULL << 10U}, {"MiB", 1ULL << 20U}, {"GiB", 1ULL << 30U}, {"TiB", 1ULL << 40U}};

constexpr std::string_view a_duration = "expected a number and a unit, such as 500ms, 30s, 10m, 24h or 7d";
constexpr std::string_view a_size = "expected a number and a unit, such as 512B, 64KiB, 1MiB or 2GiB";

/// A hundred years: what is larger is a slip, and would overflow clocks that count nanoseconds.
constexpr std::uint64_t duration_max = 36'500ULL * 86'400'000;
constexpr std::uint64_t size_max = std::numeric_limits<std::int64_t>::max();

struct Quantity {
    std::string_view what;
    std::string_view expected;
    std::span<const Unit> units;
    std::uint64_t max;
    std::string_view max_text;
};

constexpr Quantity duration_quantity{"a duration", a_duration, durations, duration_max, "36500d"};
constexpr Quantity size_quantity{"a size", a_size, sizes, size_max, "8388607TiB"};

Complaint complain(std::string_view text, std::string_view why, std::string_view expected) {
    return {shown(text) + " " + std::string(why) + ": " + std::string(expected)};
}

Parsed<std::uint64_t> parse(std::string_view text, Zero zero, const Quantity& quantity) {
    if (text.empty()) {
        return Complaint{"empty: " + std::string(quantity.expected)};
    }
    std::uint64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    const auto unit_name = text.substr(static_cast<std::size_t>(end - text.data()));
    const auto* unit = quantity.units.data();
    const auto* const last = unit + quantity.units.size();
    while (unit != last && unit->name != unit_name) {
        ++unit;
    }
    const bool has_digits = end != text.data();
    const bool all_digits = has_digits && unit_name.empty();
    if (text.front() == '-') {
        return complain(text, "is negative", quantity.expected);
    }
    if (all_digits && error == std::errc{} && !(number == 0 && zero == Zero::allowed)) {
        return complain(text, "has no unit", quantity.expected);
    }
    if (!has_digits || (!all_digits && unit == last)) {
        return complain(text, "is not " + std::string(quantity.what), quantity.expected);
    }
    const std::uint64_t factor = unit == last ? 1 : unit->factor;
    if (error == std::errc::result_out_of_range || number > quantity.max / factor) {
        return complain(text, "is too large", "expected at most " + std::string(quantity.max_text));
    }
    if (number == 0 && zero == Zero::refused) {
        return complain(text, "is zero", "expected more than zero");
    }
    return number * factor;
}

std::string text_of(std::uint64_t number, std::span<const Unit> units) {
    std::size_t i = units.size() - 1;
    while (number % units[i].factor != 0) {
        --i;
    }
    return std::to_string(number / units[i].factor) + std::string(units[i].name);
}

}  // namespace

Parsed<std::chrono::milliseconds> parse_duration(std::string_view text, Zero zero) {
    const auto parsed = parse(text, zero, duration_quantity);
    if (const auto* complaint = std::get_if<Complaint>(&parsed)) {
        return *complaint;
    }
    return std::chrono::milliseconds{std::get<std::uint64_t>(parsed)};
}

Parsed<std::uint64_t> parse_size(std::string_view text, Zero zero) {
    return parse(text, zero, size_quantity);
}

Parsed<std::uint32_t> parse_count(std::string_view text, std::uint32_t min, std::uint32_t max) {
    const std::string expected = "expected a whole number from " + std::to_string(min) + " to " + std::to_string(max);
    std::uint32_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    // A leading zero: YAML 1.1 reads an octal number, YAML 1.2 a decimal one.
    const bool is_doubtful = text.size() > 1 && text.front() == '0';
    if (end != text.data() + text.size() || error == std::errc::invalid_argument || is_doubtful) {
        return complain(text, "is not a whole number", expected);
    }
    if (error != std::errc{} || number < min || number > max) {
        return complain(text, "is out of range", expected);
    }
    return number;
}

std::string to_text(std::chrono::milliseconds duration) {
    return duration.count() == 0 ? "0s" : text_of(static_cast<std::uint64_t>(duration.count()), durations);
}

std::string size_text(std::uint64_t bytes) {
    return bytes == 0 ? "0" : text_of(bytes, sizes);
}

}  // namespace onceward::config
