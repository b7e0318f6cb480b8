#include "onceward/http/trace.hpp"

#include "onceward/base/ascii.hpp"
#include "onceward/base/hex.hpp"

#include <algorithm>

namespace onceward::http {

namespace {

constexpr std::size_t version_00_size = 55;

bool is_lower_hex(std::string_view text) {
    return std::all_of(text.begin(), text.end(), [](char c) { return base::is_digit(c) || (c >= 'a' && c <= 'f'); });
}

bool is_zero(std::string_view text) {
    return text.find_first_not_of('0') == std::string_view::npos;
}

}  // namespace

std::string_view trace_id(std::string_view traceparent) {
    if (traceparent.size() < version_00_size || traceparent[2] != '-' || traceparent[35] != '-' || traceparent[52] != '-') {
        return {};
    }
    const auto version = traceparent.substr(0, 2);
    const auto trace = traceparent.substr(3, 32);
    const auto parent = traceparent.substr(36, 16);
    // Later versions may be longer, behind another dash; version ff is forbidden.
    const bool size_fits = traceparent.size() == version_00_size || (version != "00" && traceparent[version_00_size] == '-');
    const bool valid = size_fits && version != "ff" && is_lower_hex(version) && is_lower_hex(trace) && !is_zero(trace) &&
                       is_lower_hex(parent) && !is_zero(parent) && is_lower_hex(traceparent.substr(53, 2));
    return valid ? trace : std::string_view{};
}

std::string_view trace_id(const HeaderList& headers) {
    std::size_t count = 0;
    std::string_view found;
    headers.for_each_value("traceparent", [&](std::string_view value) {
        found = trace_id(value);
        ++count;
    });
    return count == 1 ? found : std::string_view{};
}

void make_traceparent(std::string& out, std::span<const std::uint8_t, 24> random) {
    out.assign("00-");
    base::append_hex(out, random.first(16));
    out.append("-");
    base::append_hex(out, random.last(8));
    out.append("-01");
    // The one value of each id that means "none".
    if (is_zero(std::string_view(out).substr(3, 32))) {
        out[34] = '1';
    }
    if (is_zero(std::string_view(out).substr(36, 16))) {
        out[51] = '1';
    }
}

}  // namespace onceward::http
