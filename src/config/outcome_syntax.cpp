#include "config/outcome_syntax.hpp"

#include "config/key_table.hpp"
#include "onceward/base/ascii.hpp"
#include "onceward/guard/problem.hpp"

namespace onceward::config {

namespace {

/// A status, or the hundreds of a class as a negative number.
using StatusEntry = int;

Parsed<StatusEntry> parse_status(std::string_view text) {
    const bool shaped = text.size() == 3 && text[0] >= '2' && text[0] <= '5';
    if (shaped && text.substr(1) == "xx") {
        return -(text[0] - '0');
    }
    if (shaped && base::is_digit(text[1]) && base::is_digit(text[2])) {
        return (text[0] - '0') * 100 + (text[1] - '0') * 10 + (text[2] - '0');
    }
    return Complaint{shown(text) + " is not a status: expected 200 to 599, or a class such as 5xx"};
}

Json write_statuses(const StatusSet& set) {
    Json out = Json::array();
    for (int hundreds = 2; hundreds <= 5; ++hundreds) {
        Json each = Json::array();
        for (int status = hundreds * 100; status < hundreds * 100 + 100; ++status) {
            if (set.contains(status)) {
                each.push_back(status);
            }
        }
        if (each.size() == 100) {
            out.push_back(std::to_string(hundreds) + "xx");
        } else {
            out.insert(out.end(), each.begin(), each.end());
        }
    }
    return out;
}

void read_statuses(const Cursor& cursor, StatusSet& value) {
    if (cursor.node.kind != Node::Kind::sequence) {
        cursor.mismatch("a list of statuses, such as [429, 5xx]");
        return;
    }
    StatusSet set;
    for (std::size_t i = 0; i < cursor.node.items.size(); ++i) {
        const auto item = cursor.item(i);
        if (item.node.kind != Node::Kind::scalar) {
            item.mismatch("a status such as 503 or 5xx");
            continue;
        }
        const auto parsed = parse_status(item.node.text);
        if (const auto* complaint = std::get_if<Complaint>(&parsed)) {
            item.error(complaint->message);
        } else if (const int entry = std::get<StatusEntry>(parsed); entry < 0) {
            set.add_class(-entry);
        } else {
            set.add(entry);
        }
    }
    value = set;
}

Syntax<StatusSet> statuses() {
    const auto schema = [] {
        const Json item{
            {"anyOf", Json::array({Json{{"type", "integer"}, {"minimum", 200}, {"maximum", 599}},
                                   Json{{"type", "string"}, {"pattern", "^[2-5](xx|[0-9][0-9])$"}}, schema_ref("substituted")})}};
        return Json{{"type", "array"}, {"items", item}};
    };
    return {"list of statuses", schema, read_statuses, write_statuses, {}};
}

const std::vector<Word<OutcomeProfile>>& profiles() {
    static const std::vector<Word<OutcomeProfile>> all{
        {"standard", OutcomeProfile::standard}, {"strict", OutcomeProfile::strict}, {"stripe", OutcomeProfile::stripe}};
    return all;
}

/// The profile's lists stand until `fail` and `hold`, which come later in the table, replace them.
Syntax<Outcomes> profile() {
    const auto word = words<OutcomeProfile>(profiles());
    const auto read = [word](const Cursor& cursor, Outcomes& value) {
        OutcomeProfile given = value.profile;
        word.read(cursor, given);
        value = outcomes_of(given);
    };
    return {word.type, word.schema, read, [word](const Outcomes& value) { return word.write(value.profile); }, {}};
}

const Table<Outcomes>& outcome_keys() {
    static const Table<Outcomes> table({
        whole<Outcomes>("profile", profile(),
                        "Which statuses fail and hold: standard, strict (every 5xx holds) or stripe (500 is recorded).",
                        Need::optional),
        key("fail", &Outcomes::fail, statuses(), "Statuses that are a known failure: a retry executes again."),
        key("hold", &Outcomes::hold, statuses(), "Statuses that leave the outcome unknown; wins over fail."),
    });
    return table;
}

std::vector<std::string_view> problem_codes() {
    std::vector<std::string_view> names;
    for (int i = 0; i <= static_cast<int>(guard::ProblemCode::overloaded); ++i) {
        names.push_back(guard::info(static_cast<guard::ProblemCode>(i)).name);
    }
    return names;
}

/// A mapping from problem codes.
template <typename T>
Syntax<std::map<std::string, T, std::less<>>> by_code(Syntax<T> inner) {
    using Map = std::map<std::string, T, std::less<>>;
    const auto read = [inner](const Cursor& cursor, Map& value) {
        if (cursor.node.kind != Node::Kind::mapping) {
            cursor.mismatch("a mapping of codes, such as {KEY_REUSED: ...}");
            return;
        }
        value.clear();
        for (const auto& member : cursor.node.members) {
            const auto at = cursor.member(member);
            if (!guard::parse_problem_code(member.key)) {
                cursor.report.error(member.place, at.path,
                                    "unknown code " + shown(member.key) + ": " + suggestion(member.key, problem_codes()));
                continue;
            }
            inner.read(at, value[member.key]);
        }
    };
    const auto write = [inner](const Map& value) {
        Json out = Json::object();
        for (const auto& entry : value) {
            out[entry.first] = inner.write(entry.second);
        }
        return out;
    };
    const auto schema = [inner] {
        return Json{{"type", "object"}, {"propertyNames", {{"enum", problem_codes()}}}, {"additionalProperties", inner.schema()}};
    };
    return {"mapping from code to " + inner.type, schema, read, write, {}};
}

Syntax<int> error_status() {
    const auto number = count(400, 599);
    const auto read = [number](const Cursor& cursor, int& value) {
        std::uint32_t given = 0;
        number.read(cursor, given);
        value = static_cast<int>(given);
    };
    return {number.type, number.schema, read, [](const int& value) { return Json(value); }, {}};
}

Syntax<std::string> message() {
    return text("text", [](std::string_view text) {
        return text.empty() ? std::optional<std::string>("empty: expected a message") : std::nullopt;
    });
}

const Table<Errors>& error_keys() {
    static const Table<Errors> table({
        key("format", &Errors::format, words<ErrorFormat>({{"problem", ErrorFormat::problem}, {"plain", ErrorFormat::plain}}),
            "problem is application/problem+json (RFC 9457); plain is {\"code\", \"message\"} alone."),
        key("status", &Errors::status, by_code(error_status()), "Another status for a code."),
        key("messages", &Errors::messages, by_code(message()), "Another message for a code, in any language."),
    });
    return table;
}

}  // namespace

Syntax<Outcomes> outcomes() {
    return section(outcome_keys);
}

Syntax<Errors> errors() {
    return section(error_keys);
}

}  // namespace onceward::config
