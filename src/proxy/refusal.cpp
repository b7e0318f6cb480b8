#include "proxy/loop.hpp"
#include "proxy/session.hpp"

namespace onceward::proxy {

using guard::ProblemCode;

namespace {

/// Bytes behind the head of a whole response.
std::uint64_t content_size_of(std::string_view response) {
    constexpr std::string_view head_end = "\r\n\r\n";
    return response.size() - response.find(head_end) - head_end.size();
}

}  // namespace

void say_stopping(reply::ProblemReply& problem) {
    problem.http_status = guard::info(ProblemCode::overloaded).status;
    problem.retry_after = reply::retry_soon;
}

reply::ProblemReply Session::problem(ProblemCode code) const {
    reply::ProblemReply problem;
    problem.code = code;
    problem.client_version = head.version;
    problem.to_head = head.method == "HEAD";
    const auto& routes = options().routes;
    if (tally.route_index < routes.size()) {
        problem.errors = &routes[tally.route_index].errors;
    }
    if (tally.guarded) {
        problem.status = guard::status_of(code);
    }
    return problem;
}

Task<> Session::refuse(ProblemCode code) {
    return refuse(problem(code));
}

Task<> Session::refuse_for_now(ProblemCode code) {
    auto later = problem(code);
    later.retry_after = reply::retry_soon;
    return refuse(std::move(later));
}

Task<> Session::refuse_unreachable() {
    auto unreachable = problem(ProblemCode::upstream_unreachable);
    if (loop.draining) {
        say_stopping(unreachable);
    }
    return refuse(std::move(unreachable));
}

Task<> Session::refuse(reply::ProblemReply problem) {
    skim_body();
    problem.date = loop.date();
    problem.connection = connection_use();
    out.clear();
    reply::append_problem(out, problem);
    tally.bytes_out = content_size_of(out);
    tally.status = reply::problem_status(problem);
    tally.code = guard::info(problem.code).name;
    if (problem.status) {
        tally.idempotency = *problem.status;
    }
    co_await send_out();
}

Task<> Session::refuse_unread(ProblemCode code) {
    begin_request();
    head.keep_alive = false;
    close_ = true;
    linger_ = true;
    reply::ProblemReply problem;
    problem.code = code;
    problem.date = loop.date();
    problem.to_head = stream.buffered().starts_with("HEAD ");
    reply::append_problem(out, problem);
    tally.bytes_out = content_size_of(out);
    tally.status = guard::info(code).status;
    tally.code = guard::info(code).name;
    co_await send_out();
    finish_request();
}

}  // namespace onceward::proxy
