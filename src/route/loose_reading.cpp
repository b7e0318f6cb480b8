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

// A real path has a handful. Each costs a pass over the path, which a client may make long.
constexpr std::size_t readings_max = 64;

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
    for (std::size_t i = 0, count = readings.size(); i < count && readings.size() <= readings_max; ++i) {
        std::string variant = readings[i];
        change(variant);
        if (std::find(readings.begin(), readings.end(), variant) == readings.end()) {
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

// What two slashes begin is an authority to who resolves the target as a reference to a URL (RFC 3986 section 4.2), however many
// they are to who does it as browsers do.
void skip_authority(std::string& path) {
    if (path.starts_with("//")) {
        const auto host = std::min(path.find_first_not_of('/'), path.size());
        path.erase(0, std::min(path.find('/', host), path.size()));
    }
}

// Leaves the slashes of a segment that was nothing but parameters.
void drop_parameters(std::string& path) {
    for (auto at = path.find(';'); at != std::string::npos; at = path.find(';', at)) {
        path.erase(at, std::min(path.find('/', at), path.size()) - at);
    }
}

// Dot segments as RFC 3986 section 5.2.4 removes them: a segment without a name is one that `..` takes away.
void remove_dot_segments(std::string& path) {
    std::string resolved;
    for (std::string_view rest = path; !rest.empty();) {
        const auto end = std::min(rest.find('/', 1), rest.size());
        const auto segment = rest.substr(0, end);
        rest.remove_prefix(end);
        if (segment == "/..") {
            resolved.resize(std::min(resolved.rfind('/'), resolved.size()));
        } else if (segment != "/.") {
            resolved.append(segment);
        }
    }
    path = resolved.empty() ? std::string("/") : std::move(resolved);
}

// Most paths are read alike by all.
bool is_plain(std::string_view path) {
    const bool has_empty_segment = path.find("//") != std::string_view::npos;
    return path.find_first_of("%\\;") == std::string_view::npos &&
           !(has_empty_segment && (path.starts_with("//") || path.find("/..") != std::string_view::npos));
}

}  // namespace

std::optional<std::vector<std::string>> loose_paths(std::string_view path) {
    if (is_plain(path)) {
        return Readings{};
    }
    auto readings = decodings_of(path);
    add_variants(readings, read_backslash_as_slash);
    add_variants(readings, skip_controls);
    add_variants(readings, cut_at_delimiter);
    add_variants(readings, skip_authority);
    add_variants(readings, read_dot_with_parameters_as_name);
    add_variants(readings, drop_parameters);
    add_variants(readings, remove_dot_segments);
    if (readings.size() > readings_max) {
        return std::nullopt;
    }
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
