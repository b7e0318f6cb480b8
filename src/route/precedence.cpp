#include "onceward/route/precedence.hpp"

#include "onceward/base/ascii.hpp"
#include "onceward/base/assert.hpp"
#include "route/path_pattern.hpp"

#include <algorithm>
#include <cstddef>
#include <set>
#include <tuple>
#include <utility>

namespace onceward::route {

namespace {

struct Entry {
    const config::Route* route;
    PathPattern pattern;

    [[nodiscard]] bool guards() const { return route->mode != config::Mode::off; }
    [[nodiscard]] bool takes(const std::string& method) const {
        return std::find(route->methods.begin(), route->methods.end(), method) != route->methods.end();
    }
    /// Whether a path that agrees with the pattern in its first `depth` segments, and ends there, is taken.
    [[nodiscard]] bool ends_at(std::size_t depth) const {
        const auto count = pattern.segments().size();
        return count == depth || (pattern.any_depth() && count < depth);
    }
    [[nodiscard]] bool agrees(std::size_t at, std::string_view segment) const {
        const auto& segments = pattern.segments();
        return at < segments.size() ? pattern.takes_segment(at, segment) : pattern.any_depth();
    }
};

std::vector<Entry> compile(const std::vector<config::Route>& routes) {
    std::vector<Entry> out;
    for (const auto& route : routes) {
        auto parsed = PathPattern::parse(route.path, route.case_sensitive ? PathCase::kept : PathCase::folded);
        auto* pattern = std::get_if<PathPattern>(&parsed);
        ONCEWARD_ASSERT(pattern != nullptr);
        out.push_back({&route, std::move(*pattern)});
    }
    return out;
}

/// The entries that a path may still meet, by their places, in order.
struct Alive {
    std::vector<std::size_t> before;
    std::vector<std::size_t> after;
    auto operator<=>(const Alive&) const = default;
};

std::vector<std::size_t> agreeing(const std::vector<Entry>& entries, const std::vector<std::size_t>& alive, std::size_t at,
                                  std::string_view segment) {
    std::vector<std::size_t> out;
    std::copy_if(alive.begin(), alive.end(), std::back_inserter(out),
                 [&](std::size_t place) { return entries[place].agrees(at, segment); });
    return out;
}

/// The first entry that takes the path of `depth` segments with this method: nothing guards what it does not, or does `off`.
const Entry* guard_of(const std::vector<Entry>& entries, const std::vector<std::size_t>& alive, std::size_t depth,
                      const std::string& method) {
    for (const auto place : alive) {
        const auto& entry = entries[place];
        if (entry.ends_at(depth) && entry.takes(method)) {
            return entry.guards() ? &entry : nullptr;
        }
    }
    return nullptr;
}

/// Which segment each `path:name` of the route's key and scope is.
std::vector<std::size_t> read_segments(const Entry& entry) {
    std::vector<std::size_t> out;
    const auto add = [&](const config::SourceList& list) {
        for (const auto& source : list) {
            if (source.kind == config::SourceKind::path) {
                out.push_back(entry.pattern.segment_of(source.name));
            }
        }
    };
    std::for_each(entry.route->key.from.begin(), entry.route->key.from.end(), add);
    add(entry.route->scope);
    return out;
}

/// Walks through all paths that the patterns can tell apart, segment by segment: at each place the literals that stand there, in
/// the spellings that case tells apart, and one segment that no pattern names.
class Walk {
public:
    Walk(const std::vector<config::Route>& before, const std::vector<config::Route>& after)
        : before_(compile(before)), after_(compile(after)) {
        for (const auto* entries : {&before_, &after_}) {
            for (const auto& entry : *entries) {
                depth_max_ = std::max(depth_max_, entry.pattern.segments().size() + 1);
            }
        }
        for (const auto& entry : before_) {
            methods_.insert(entry.route->methods.begin(), entry.route->methods.end());
        }
    }

    std::vector<Shift> run() {
        Alive all;
        for (std::size_t i = 0; i < before_.size(); ++i) {
            all.before.push_back(i);
        }
        for (std::size_t i = 0; i < after_.size(); ++i) {
            all.after.push_back(i);
        }
        visit("", 0, all);
        return std::move(shifts_);
    }

private:
    void visit(const std::string& path, std::size_t depth, const Alive& alive);
    void judge(const std::string& path, std::size_t depth, const Alive& alive);
    void add(Shift shift);
    [[nodiscard]] std::vector<std::string> segments_at(std::size_t depth, const Alive& alive) const;

    std::vector<Entry> before_;
    std::vector<Entry> after_;
    std::set<std::string> methods_;
    std::size_t depth_max_ = 0;
    std::set<std::pair<std::size_t, Alive>> seen_;
    std::set<std::tuple<Shift::Kind, std::string, std::string>> told_;
    std::vector<Shift> shifts_;
};

std::vector<std::string> Walk::segments_at(std::size_t depth, const Alive& alive) const {
    std::vector<std::string> out;
    std::set<std::string> known;
    const auto add = [&](std::string segment) {
        if (known.insert(segment).second) {
            out.push_back(std::move(segment));
        }
    };
    const auto add_literals = [&](const std::vector<Entry>& entries, const std::vector<std::size_t>& places) {
        for (const auto place : places) {
            const auto& segments = entries[place].pattern.segments();
            if (depth >= segments.size() || segments[depth].is_parameter) {
                continue;
            }
            const auto& literal = segments[depth].text;
            std::string upper = literal;
            std::string mixed = literal;
            for (std::size_t i = 0; i < literal.size(); ++i) {
                upper[i] = base::to_upper(literal[i]);
                mixed[i] = i % 2 == 0 ? base::to_lower(literal[i]) : base::to_upper(literal[i]);
            }
            add(literal);
            add(base::to_lower(literal));
            add(upper);
            add(mixed);
        }
    };
    add_literals(before_, alive.before);
    add_literals(after_, alive.after);
    std::string other = "x";
    while (std::any_of(out.begin(), out.end(), [&](const std::string& literal) { return base::iequals(literal, other); })) {
        other += 'x';
    }
    out.push_back(other);
    return out;
}

void Walk::add(Shift shift) {
    if (told_.insert({shift.kind, shift.before, shift.after}).second) {
        shifts_.push_back(std::move(shift));
    }
}

void Walk::judge(const std::string& path, std::size_t depth, const Alive& alive) {
    for (const auto& method : methods_) {
        const auto* was = guard_of(before_, alive.before, depth, method);
        if (was == nullptr) {
            continue;
        }
        const auto* is = guard_of(after_, alive.after, depth, method);
        const Shift shift{Shift::Kind::taken, method, path.empty() ? "/" : path, was->route->name,
                          is == nullptr ? std::string{} : is->route->name};
        if (is == nullptr) {
            add({Shift::Kind::unguarded, shift.method, shift.path, shift.before, {}});
        } else if (shift.before != shift.after) {
            add(shift);
        } else if (read_segments(*was) != read_segments(*is)) {
            add({Shift::Kind::rebound, shift.method, shift.path, shift.before, shift.after});
        }
    }
}

void Walk::visit(const std::string& path, std::size_t depth, const Alive& alive) {
    const auto guards = [&](std::size_t place) { return before_[place].guards(); };
    if (depth > depth_max_ || std::none_of(alive.before.begin(), alive.before.end(), guards) ||
        !seen_.insert({depth, alive}).second) {
        return;
    }
    judge(path, depth, alive);
    for (const auto& segment : segments_at(depth, alive)) {
        visit(path + "/" + segment, depth + 1,
              {agreeing(before_, alive.before, depth, segment), agreeing(after_, alive.after, depth, segment)});
    }
}

}  // namespace

std::vector<Shift> shifts(const std::vector<config::Route>& before, const std::vector<config::Route>& after) {
    return Walk(before, after).run();
}

}  // namespace onceward::route
