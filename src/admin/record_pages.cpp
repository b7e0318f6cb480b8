#include "admin/record_pages.hpp"

#include "admin/lookup.hpp"
#include "admin/problem.hpp"
#include "admin/query.hpp"
#include "admin/record_filter.hpp"
#include "admin/record_json.hpp"
#include "admin/store_problem.hpp"
#include "onceward/base/hex.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace onceward::admin {

namespace {

using std::chrono::steady_clock;

/// One look at the store, which may have to go through many records.
constexpr seconds look_limit{5};
/// Pages are put together for this long; then what was found goes out with a cursor.
constexpr seconds gather_limit{2};

bool begins_with(const RecordId& id, const std::string& prefix) {
    return prefix.empty() || base::to_hex(id.bytes).compare(0, prefix.size(), prefix) == 0;
}

std::string scope_hint(const config::Route& route, std::size_t given) {
    if (given >= route.scope.size()) {
        return "";
    }
    std::string text = "; the route has a scope of";
    for (const auto& source : route.scope) {
        text += " " + config::to_text(source);
    }
    return text + ": a value that the request had must be given";
}

}  // namespace

std::vector<std::string> route_names(Control& control) {
    std::vector<std::string> names;
    for (const auto& route : control.running().routes) {
        names.push_back(route.name);
    }
    return names;
}

Task<net::HttpAnswer> RecordPages::list(std::string_view text) {
    auto parsed = parse_filter(text);
    if (const auto* complaint = std::get_if<std::string>(&parsed)) {
        co_return bad_request(*complaint);
    }
    auto& filter = std::get<RecordFilter>(parsed);
    const auto limit = filter.query.limit;
    const auto asked_route = filter.query.route;
    const bool is_first = filter.query.cursor.empty();
    auto records = nlohmann::ordered_json::array();
    const auto until = steady_clock::now() + gather_limit;
    do {
        filter.query.limit = filter.id_prefix.empty() ? limit - records.size() : store::RecordQuery::limit_max;
        const Deadline deadline = steady_clock::now() + look_limit;
        const auto page = co_await store_.list(filter.query, deadline);
        if (!page) {
            co_return store_problem(page.error());
        }
        for (const auto& listed : page->records) {
            if (begins_with(listed.id, filter.id_prefix)) {
                records.push_back(record_json(listed));
            }
        }
        filter.query.cursor = page->next_cursor;
    } while (!filter.query.cursor.empty() && records.size() < limit && steady_clock::now() < until);
    if (records.empty() && filter.query.cursor.empty() && is_first && !asked_route.empty() &&
        config::find_route(control_.running().routes, asked_route) == nullptr) {
        co_return bad_request(
            "route: there is none of this name in the configuration, and no record of one that was removed fits");
    }
    const nlohmann::ordered_json next = filter.query.cursor.empty() ? nullptr : nlohmann::ordered_json(filter.query.cursor);
    co_return json_answer({{"records", records}, {"next_cursor", next}});
}

Task<net::HttpAnswer> RecordPages::lookup(std::string_view text) {
    const auto parsed = Query::parse(text, {"route", "key", "scope"}, {"key", "scope"});
    if (const auto* complaint = std::get_if<std::string>(&parsed)) {
        co_return bad_request(*complaint);
    }
    const auto& query = std::get<Query>(parsed);
    const KeySeen seen{query.values("key"), query.values("scope")};
    const auto* route = config::find_route(control_.running().routes, query.value("route").value_or(""));
    if (route == nullptr) {
        co_return bad_request("route: expected the name of a route of the configuration");
    }
    if (seen.key.empty()) {
        co_return bad_request("key: expected the key that the client sent");
    }
    const auto id = find_id(*route, seen);
    if (const auto* complaint = std::get_if<std::string>(&id)) {
        co_return bad_request(*complaint);
    }
    const auto absent = "there is no record of this key" + scope_hint(*route, seen.scope.size());
    const store::RecordLookup wanted{std::get<RecordId>(id), {route->name}, store::Reach::named_routes, store::Detail::fields};
    auto answer = co_await find(wanted, absent);
    co_return answer;
}

Task<net::HttpAnswer> RecordPages::show(std::string_view id_text, std::string_view text) {
    const auto parsed = Query::parse(text, {"body"});
    if (const auto* complaint = std::get_if<std::string>(&parsed)) {
        co_return bad_request(*complaint);
    }
    const auto body = std::get<Query>(parsed).value("body").value_or("false");
    if (body != "true" && body != "false") {
        co_return bad_request("body: expected true or false");
    }
    const auto id = parse_record_id(id_text);
    if (!id) {
        co_return not_found("there is no record of this id: expected 64 hexadecimal digits");
    }
    const store::RecordLookup wanted{*id, route_names(control_), store::Reach::everywhere,
                                     body == "true" ? store::Detail::content : store::Detail::fields};
    const std::string absent = "there is no record of this id";
    auto answer = co_await find(wanted, absent);
    co_return answer;
}

Task<net::HttpAnswer> RecordPages::find(const store::RecordLookup& wanted, const std::string& absent) {
    const Deadline deadline = steady_clock::now() + look_limit;
    const auto found = co_await store_.find(wanted, deadline);
    if (!found) {
        co_return store_problem(found.error());
    }
    if (!*found) {
        co_return not_found(absent);
    }
    co_return json_answer(whole_record_json(**found, wanted.detail));
}

}  // namespace onceward::admin
