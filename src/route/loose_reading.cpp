#include "route/loose_reading.hpp"

#include "onceward/base/ascii.hpp"
#include "onceward/http/field_kind.hpp"
#include "onceward/route/target.hpp"
#include "route/percent.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace onceward::route {

namespace {

using Readings = std::vector<std::string>;

bool is_control(char c) {
    return static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
}

Readings decodings_of(std::string_view path) {
    Readings readings{std::string(path)};
    const auto add = [&](auto&& decode, std::string_view from) {
        std::string decoded;
        decode(decoded, from);
        if (std::find(readings.begin(), readings.end(), decoded) == readings.end()) {
            readings.push_back(decoded);
        }
        return decoded;
    };
    const auto once = add(append_decoded, path);
    add(append_decoded, once);
    add(append_fully_decoded, path);
    return readings;
}

// Adds to each reading the one that `change` makes of it, where that is another.
template <typename Change>
void add_variants(Readings& readings, Change&& change) {
    for (std::size_t i = 0, count = readings.size(); i < count; ++i) {
        std::string variant = readings[i];
        change(variant);
        if (variant != readings[i]) {
            readings.push_back(std::move(variant));
        }
    }
}

void read_backslash_as_slash(std::string& path) {
    std::replace(path.begin(), path.end(), '\\', '/');
}

void skip_controls(std::string& path) {
    std::erase_if(path, is_control);
    path.erase(path.find_last_not_of(' ') + 1);
}

void cut_at_delimiter(std::string& path) {
    constexpr std::string_view delimiters("\0?#", 3);
    path.resize(std::min(path.size(), path.find_first_of(delimiters)));
}

// `/..;x/` is a dot segment to those who drop ;params first, and a name to the others.
void read_dot_with_parameters_as_name(std::string& path) {
    for (const std::string_view dots : {"/.;", "/..;"}) {
        for (auto at = path.find(dots); at != std::string::npos; at = path.find(dots, at + dots.size())) {
            path.replace(at + dots.size() - 1, 1, "%3B");
        }
    }
}

}  // namespace

std::vector<std::string> loose_paths(std::string_view path) {
    if (path.find_first_of("%\\;") == std::string_view::npos) {
        return {};
    }
    auto readings = decodings_of(path);
    add_variants(readings, read_backslash_as_slash);
    add_variants(readings, skip_controls);
    add_variants(readings, cut_at_delimiter);
    add_variants(readings, read_dot_with_parameters_as_name);
    for (auto& reading : readings) {
        std::string normal;
        append_normalised_path(normal, reading, PathParameters::dropped, PathCase::kept);
        reading = std::move(normal);
    }
    return readings;
}

namespace {

bool is_method_override(std::string_view name) {
    return http::spelt_like(name, "x-http-method-override") || http::spelt_like(name, "x-http-method") ||
           http::spelt_like(name, "x-method-override");
}

}  // namespace

bool may_mean_method(const http::RequestHead& head, std::string_view method) {
    bool meant = base::iequals(head.method, method);
    head.headers.for_each([&](std::string_view name, std::string_view value) {
        if (is_method_override(name)) {
            base::for_each_list_member(
                value, [&](std::string_view member) { meant = meant || base::iequals(base::unquoted(member), method); });
        }
    });
    return meant;
}

}  // namespace onceward::route
