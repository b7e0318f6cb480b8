#include "route/path_pattern.hpp"

#include "onceward/base/ascii.hpp"
#include "onceward/route/route_table.hpp"
#include "route/percent.hpp"

#include <algorithm>
#include <utility>

namespace onceward::route {

namespace {

bool is_name_char(char c) {
    return base::is_digit(c) || (base::to_lower(c) >= 'a' && base::to_lower(c) <= 'z') || c == '_' || c == '-';
}

// Takes the first segment, with its slash, off a path that begins with a slash.
std::string_view take_segment(std::string_view& path) {
    const auto segment = path.substr(1, path.find('/', 1) - 1);
    path.remove_prefix(segment.size() + 1);
    return segment;
}

}  // namespace

// Gives the reason why the segment can't stand in a pattern, or nothing.
std::string PathPattern::add(std::string_view segment) {
    const std::string quoted = "\"" + std::string(segment) + "\"";
    if (segment.empty() || segment == "." || segment == "..") {
        return "an empty segment or a dot segment never matches";
    }
    if (segment.front() == '{' && segment.back() == '}') {
        std::string name(segment.substr(1, segment.size() - 2));
        if (name.empty() || !std::all_of(name.begin(), name.end(), is_name_char)) {
            return quoted + " is not a {name} of letters, digits, '_' and '-'";
        }
        if (std::find(names_.begin(), names_.end(), name) != names_.end()) {
            return quoted + " stands there twice";
        }
        names_.push_back(std::move(name));
        segments_.push_back({true, {}});
        return {};
    }
    if (segment.find_first_of("{}*") != std::string_view::npos) {
        return quoted + ": {name} takes a whole segment, and ** stands only at the end, after a slash";
    }
    std::string normal;
    append_normalised_path(normal, segment, PathParameters::kept, PathCase::kept);
    segments_.push_back({false, normal.substr(1)});
    literal_ += normal;
    return {};
}

std::variant<PathPattern, std::string> PathPattern::parse(std::string_view text, PathCase path_case) {
    if (!text.starts_with('/')) {
        return "a path begins with a slash";
    }
    if (text.find_first_of("?#;") != std::string_view::npos) {
        return "a path has no query, fragment or ;params";
    }
    PathPattern pattern;
    pattern.path_case_ = path_case;
    if (text.ends_with("/**")) {
        pattern.any_depth_ = true;
        text.remove_suffix(3);
    } else if (text.ends_with('/')) {
        text.remove_suffix(1);
    }
    while (!text.empty()) {
        auto reason = pattern.add(take_segment(text));
        if (!reason.empty()) {
            return reason;
        }
    }
    if (pattern.segments_.empty() && !pattern.any_depth_) {
        pattern.literal_ = "/";
    }
    return pattern;
}

bool PathPattern::same(std::string_view text, std::string_view literal) const {
    return path_case_ == PathCase::folded ? base::iequals(text, literal) : text == literal;
}

bool PathPattern::matches(std::string_view path) const {
    if (!names_.empty()) {
        return matches_segments(path);
    }
    if (!any_depth_) {
        return same(path, literal_);
    }
    return path.starts_with('/') && same(path.substr(0, literal_.size()), literal_) &&
           (path.size() == literal_.size() || literal_.empty() || path[literal_.size()] == '/');
}

bool PathPattern::matches_segments(std::string_view path) const {
    for (const auto& segment : segments_) {
        if (path.size() < 2) {
            return false;
        }
        const auto text = take_segment(path);
        if (!segment.is_parameter && !same(text, segment.text)) {
            return false;
        }
    }
    return path.empty() || any_depth_;
}

bool PathPattern::takes_segment(std::size_t at, std::string_view text) const {
    return segments_[at].is_parameter || same(text, segments_[at].text);
}

std::size_t PathPattern::segment_of(std::string_view name) const {
    auto parameter = names_.begin();
    for (std::size_t i = 0; i < segments_.size(); ++i) {
        if (segments_[i].is_parameter && *parameter++ == name) {
            return i;
        }
    }
    return segments_.size();
}

void PathPattern::bind(std::string_view path, std::vector<std::string>& values) const {
    if (names_.empty()) {
        return;
    }
    for (const auto& segment : segments_) {
        const auto text = take_segment(path);
        if (segment.is_parameter) {
            append_decoded(values.emplace_back(), text);
        }
    }
}

std::string pattern_error(std::string_view pattern) {
    const auto parsed = PathPattern::parse(pattern, PathCase::folded);
    const auto* reason = std::get_if<std::string>(&parsed);
    return reason != nullptr ? *reason : std::string{};
}

}  // namespace onceward::route
