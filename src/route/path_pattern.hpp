#pragma once

#include "onceward/route/target.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace onceward::route {

/// A route's `path` (spec section 2.1): exact, `{name}` one segment, a final `/**` any depth, none included (`/api/**` meets
/// `/api` as nginx's `location /api/` meets `/api/`).
class PathPattern {
public:
    /// The pattern, or what is wrong with it in words.
    static std::variant<PathPattern, std::string> parse(std::string_view text, PathCase path_case);

    /// `path` is normalised, without `;params`, case kept.
    [[nodiscard]] bool matches(std::string_view path) const;
    /// Values of the `{name}` segments of a path that matches, decoded, case kept.
    void bind(std::string_view path, std::vector<std::string>& values) const;

    [[nodiscard]] const std::vector<std::string>& names() const { return names_; }
    [[nodiscard]] PathCase path_case() const { return path_case_; }

    struct Segment {
        bool is_parameter = false;
        std::string text;  ///< normal form of a literal segment
    };
    [[nodiscard]] const std::vector<Segment>& segments() const { return segments_; }
    /// More segments may follow.
    [[nodiscard]] bool any_depth() const { return any_depth_; }
    /// Whether `text` may stand as the segment at `at`.
    [[nodiscard]] bool takes_segment(std::size_t at, std::string_view text) const;
    /// Which segment `{name}` is; the number of segments where there is none of that name.
    [[nodiscard]] std::size_t segment_of(std::string_view name) const;

private:
    [[nodiscard]] bool same(std::string_view text, std::string_view literal) const;
    [[nodiscard]] bool matches_segments(std::string_view path) const;
    std::string add(std::string_view segment);

    PathCase path_case_ = PathCase::folded;
    bool any_depth_ = false;
    std::vector<Segment> segments_;
    std::vector<std::string> names_;
    std::string literal_;  ///< the segments as one text; used without parameters
};

}  // namespace onceward::route
