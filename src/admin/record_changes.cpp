#include "admin/problem.hpp"
#include "admin/query.hpp"
#include "admin/record_json.hpp"
#include "admin/record_pages.hpp"
#include "admin/resolution.hpp"
#include "admin/store_problem.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace onceward::admin {

namespace {

using std::chrono::steady_clock;

constexpr seconds look_limit{5};
constexpr seconds change_limit{5};
constexpr int attempts_max = 3;

net::HttpAnswer no_such_record() {
    return not_found("there is no record of this id");
}

/// The route as it is configured now; of one that is not any more, the defaults.
config::Route route_of(Control& control, const std::string& name) {
    if (const auto* route = config::find_route(control.running().routes, name)) {
        return *route;
    }
    config::Route gone;
    gone.name = name;
    return gone;
}

guard::Lifetimes lifetimes_of(const config::Route& route) {
    return {route.lease, route.retention, route.tombstone, route.unknown_retention};
}

/// What an operator who forces a record that has its answer is after.
std::string_view purpose_of(const guard::OperatorAction& action) {
    if (std::holds_alternative<guard::ResolveCompleted>(action)) {
        return "to give it another one";
    }
    return std::holds_alternative<guard::ResolveFailed>(action) ? "to call it failed and let it be executed again"
                                                                : "to let it be executed again";
}

/// Both callers read it: who speaks HTTP and who types the command.
std::string why_forced(const guard::Record& record, const guard::OperatorAction& action) {
    constexpr std::string_view how = "force it (--force, or force=true in the query)";
    std::string text;
    if (record.state == guard::RecordState::processing) {
        text.append("an owner holds this record until ").append(time_text(record.lease_until));
        text.append(" and may still be executing: wait, or ").append(how);
        return text;
    }
    text.append("this operation was executed and has its answer: ").append(purpose_of(action)).append(", ").append(how);
    return text;
}

net::HttpAnswer refusal_of(const guard::OperatorCommand& command, const guard::OperatorReply& reply) {
    if (reply.verdict == guard::OperatorVerdict::absent || !reply.before) {
        return no_such_record();
    }
    const auto& before = *reply.before;
    if (reply.verdict == guard::OperatorVerdict::needs_force) {
        return problem(409, "FORCE_NEEDED", why_forced(before, command.action));
    }
    const auto now = "it reads " + short_text(before) + ": look at it again before you decide";
    return before.fence == command.fence ? problem(409, "STATE_CHANGED", "the record changed since it was looked at; " + now)
                                         : problem(409, "FENCE_CHANGED", "the record has another fence than was given; " + now);
}

/// The parameters of a change that name what the operator saw and wants.
std::optional<std::string> read_parameters(const Query& query, guard::OperatorCommand& command) {
    const auto force = query.value("force").value_or("false");
    if (force != "true" && force != "false") {
        return "force: expected true or false";
    }
    command.force = force == "true" ? guard::Force::yes : guard::Force::no;
    if (const auto state = query.value("state")) {
        command.state = guard::parse_record_state(*state);
        if (!command.state) {
            return "state: expected the state that the record shows";
        }
    }
    return std::nullopt;
}

/// What the request says by itself: everything but the record's route, its lifetimes and what becomes of it.
std::variant<guard::OperatorCommand, net::HttpAnswer> read_command(const RecordChanges::Request& request,
                                                                   const nlohmann::ordered_json& content) {
    const auto parsed = Query::parse(request.query, {"fence", "force", "state"});
    if (const auto* complaint = std::get_if<std::string>(&parsed)) {
        return bad_request(*complaint);
    }
    const auto& query = std::get<Query>(parsed);
    const auto fence = read_fence(query.value("fence"), content);
    if (const auto* complaint = std::get_if<std::string>(&fence)) {
        return complaint->empty() ? problem(400, "FENCE_MISSING", "fence: expected the fence that the record showed, as ?fence=")
                                  : bad_request(*complaint);
    }
    guard::OperatorCommand command;
    const auto id = parse_record_id(request.id);
    if (!id) {
        return no_such_record();
    }
    command.id = *id;
    command.fence = std::get<Fence>(fence);
    if (const auto complaint = read_parameters(query, command)) {
        return bad_request(*complaint);
    }
    return command;
}

std::variant<nlohmann::ordered_json, std::string> content_of(const RecordChanges::Request& request) {
    return request.change == RecordChanges::Change::release
               ? parse_object(request.content, {"fence"})
               : parse_object(request.content, {"fence", "outcome", "status", "headers", "body", "body_base64"});
}

}  // namespace

Task<net::HttpAnswer> RecordChanges::apply(const Request& request, const Actor& actor) {
    const auto content = content_of(request);
    if (const auto* complaint = std::get_if<std::string>(&content)) {
        co_return bad_request(*complaint);
    }
    auto read = read_command(request, std::get<nlohmann::ordered_json>(content));
    if (auto* refusal = std::get_if<net::HttpAnswer>(&read)) {
        co_return std::move(*refusal);
    }
    auto& command = std::get<guard::OperatorCommand>(read);
    const store::RecordLookup wanted{command.id, route_names(control_), store::Reach::everywhere, store::Detail::fields};
    const Deadline deadline = steady_clock::now() + look_limit;
    const auto found = co_await store_.find(wanted, deadline);
    if (!found) {
        co_return store_problem(found.error());
    }
    if (!*found) {
        co_return no_such_record();
    }
    const auto route = route_of(control_, (*found)->record.route);
    command.route = route.name;
    command.lifetimes = lifetimes_of(route);
    if (request.change == Change::resolve) {
        auto action = read_resolution(std::get<nlohmann::ordered_json>(content), route);
        if (const auto* complaint = std::get_if<std::string>(&action)) {
            co_return bad_request(*complaint);
        }
        command.action = std::get<guard::OperatorAction>(std::move(action));
    }
    auto answer = co_await operate(command, actor);
    co_return answer;
}

/// A command whose reply was lost is sent again: it recognises what it has done.
Task<net::HttpAnswer> RecordChanges::operate(const guard::OperatorCommand& command, const Actor& actor) {
    const Deadline until = steady_clock::now() + change_limit;
    boost::system::error_code failure;
    for (int attempt = 0; attempt < attempts_max; ++attempt) {
        const Deadline deadline = std::min(until, steady_clock::now() + control_.running().store.timeout);
        const auto reply = co_await store_.operate(command, deadline);
        if (reply) {
            audit_record(actor, command, *reply);
            control_.count_unknown(reply->unknown);
            if (reply->verdict != guard::OperatorVerdict::applied || !reply->after) {
                co_return refusal_of(command, *reply);
            }
            auto content = whole_record_json({command.id, *reply->after}, store::Detail::fields);
            content["before"] = reply->before ? record_json(command.id, *reply->before) : nlohmann::ordered_json();
            co_return json_answer(content);
        }
        failure = reply.error();
        if (!store::may_have_been_written(failure) || steady_clock::now() >= until) {
            break;
        }
    }
    audit_record_failure(actor, command, failure.message());
    co_return store_problem(failure);
}

}  // namespace onceward::admin
