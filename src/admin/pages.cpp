#include "admin/pages.hpp"

#include "admin/access.hpp"
#include "admin/problem.hpp"
#include "admin/token.hpp"
#include "health/answer.hpp"
#include "net/aside.hpp"
#include "onceward/config/load.hpp"
#include "onceward/config/token_file.hpp"
#include "onceward/telemetry/log.hpp"

namespace onceward::admin {

namespace {

using std::chrono::steady_clock;

net::HttpAnswer unauthorized(TokenRefusal refusal) {
    auto answer = refusal == TokenRefusal::missing
                      ? problem(401, "UNAUTHORIZED", "expected Authorization: Bearer with a token of admin.token_file")
                      : problem(401, "UNAUTHORIZED", "the token is not one of admin.token_file");
    answer.fields = refusal == TokenRefusal::missing ? "WWW-Authenticate: Bearer\r\n"
                                                     : "WWW-Authenticate: Bearer error=\"invalid_token\"\r\n";
    return answer;
}

net::HttpAnswer method_not_allowed(std::string_view methods) {
    auto answer = problem(405, "METHOD_NOT_ALLOWED", "this page takes " + std::string(methods));
    answer.fields = "Allow: " + std::string(methods) + "\r\n";
    return answer;
}

}  // namespace

Pages::Pages(asio::io_context& loop, const config::Admin& admin, const AdminParts& parts, net::Deadlines& deadlines)
    : loop_(loop),
      admin_(admin),
      parts_(parts),
      records_(parts.control, parts.store),
      changes_(parts.control, parts.store),
      level_(deadlines) {}

/// Of the configuration in force; where that has no admin listener any more, of the one that this listener was opened by.
std::string Pages::token_file() {
    const auto& admin = parts_.control.running().admin;
    if (admin && config::to_text(admin->address) == config::to_text(admin_.address)) {
        admin_.token_file = admin->token_file;
    }
    return admin_.token_file;
}

/// In a flood of such requests one line a second is written.
net::HttpAnswer Pages::turn_away(const net::HttpRequest& request, net::HttpAnswer answer, std::string_view why) {
    const auto now = steady_clock::now();
    if (now - last_warning_ >= seconds{1}) {
        last_warning_ = now;
        telemetry::warn("an admin request was turned away", {{"peer", request.peer}, {"why", why}});
    }
    return answer;
}

Task<std::variant<Actor, net::HttpAnswer>> Pages::authenticate(const net::HttpRequest& request) {
    Actor actor{std::string(request.peer), {}};
    auto file = token_file();
    if (file.empty()) {
        co_return actor;
    }
    // Read each time: a token that was replaced or taken back counts at once, and nobody asks here often. Aside: a file system
    // that hangs is no reason to keep requests waiting.
    auto read = [file = std::move(file)] { return config::read_tokens(file); };
    const auto tokens = co_await net::aside(loop_, std::move(read));
    if (const auto* complaint = std::get_if<std::string>(&tokens)) {
        telemetry::error("admin requests are refused: no token can be read", {{"error", std::string_view(*complaint)}});
        co_return problem(503, "TOKEN_FILE_UNREADABLE", "the file of admin.token_file can't be used: the log says why");
    }
    const auto checked = check_token(request.head.headers, std::get<std::vector<std::string>>(tokens));
    if (const auto* refusal = std::get_if<TokenRefusal>(&checked)) {
        co_return turn_away(request, unauthorized(*refusal), *refusal == TokenRefusal::missing ? "no token" : "a wrong token");
    }
    actor.token = std::get<Bearer>(checked).name;
    co_return actor;
}

Task<std::variant<Pages::Visit, net::HttpAnswer>> Pages::visit(const net::HttpRequest& request) {
    if (const auto complaint = cross_site_complaint(request.head, admin_.address)) {
        co_return turn_away(request, problem(403, "CROSS_SITE", *complaint), *complaint);
    }
    auto actor = co_await authenticate(request);
    if (auto* refusal = std::get_if<net::HttpAnswer>(&actor)) {
        co_return std::move(*refusal);
    }
    if (request.head.path == "*") {
        co_return method_not_allowed("GET, HEAD, POST, PUT");
    }
    const auto place = find_page(request.head.path);
    if (!place) {
        co_return problem(
            404, "NOT_FOUND",
            "there is no such page: /livez, /readyz, /metrics, /config, /log-level, /reload, /records, /records/lookup, "
            "/records/{id}, /records/{id}/release and /records/{id}/resolve are here");
    }
    if (!is_allowed(place->page, request.head.method)) {
        co_return method_not_allowed(methods_of(place->page));
    }
    if (request.head.method == "POST" || request.head.method == "PUT") {
        if (const auto complaint = content_type_complaint(request.head)) {
            co_return problem(415, "UNSUPPORTED_MEDIA_TYPE", *complaint);
        }
    }
    co_return Visit{std::get<Actor>(std::move(actor)), *place};
}

Task<std::optional<net::HttpAnswer>> Pages::admit(const net::HttpRequest& request) {
    auto visited = co_await visit(request);
    if (auto* refusal = std::get_if<net::HttpAnswer>(&visited)) {
        co_return std::move(*refusal);
    }
    co_return std::nullopt;
}

Task<net::HttpAnswer> Pages::answer(const net::HttpRequest& request) {
    auto visited = co_await visit(request);
    if (auto* refusal = std::get_if<net::HttpAnswer>(&visited)) {
        co_return std::move(*refusal);
    }
    const auto& [actor, place] = std::get<Visit>(visited);
    const auto& head = request.head;
    Task<net::HttpAnswer> work;
    switch (place.page) {
        case Page::health:
            co_return health::answer(head, parts_.health);
        case Page::config:
            co_return show_config();
        case Page::log_level:
            co_return head.method == "PUT" ? change_level(request, actor) : show_level();
        case Page::reload:
            work = reload(actor);
            break;
        case Page::records:
            work = records_.list(head.query);
            break;
        case Page::lookup:
            work = records_.lookup(head.query);
            break;
        case Page::record:
            work = records_.show(place.id, head.query);
            break;
        case Page::release:
        case Page::resolve: {
            const auto change = place.page == Page::release ? RecordChanges::Change::release : RecordChanges::Change::resolve;
            const RecordChanges::Request wanted{change, place.id, head.query, request.content};
            auto changed = co_await changes_.apply(wanted, actor);
            co_return changed;
        }
    }
    auto done = co_await work;
    co_return done;
}

net::HttpAnswer Pages::show_config() {
    net::HttpAnswer answer;
    answer.content_type = "application/yaml";
    answer.body = config::effective_yaml(parts_.control.running());
    return answer;
}

net::HttpAnswer Pages::refuse(net::HttpRefusal refusal) {
    switch (refusal) {
        case net::HttpRefusal::method_not_allowed:
            return method_not_allowed("GET, HEAD, POST, PUT");
        case net::HttpRefusal::target_too_long:
            return problem(414, "TARGET_TOO_LONG", "the target is too long");
        case net::HttpRefusal::expectation_failed:
            return problem(417, "EXPECTATION_FAILED", "the expectation can't be met");
        case net::HttpRefusal::headers_too_large:
            return problem(431, "HEADERS_TOO_LARGE", "the head is too large");
        case net::HttpRefusal::content_too_large:
            return problem(413, "CONTENT_TOO_LARGE", "the content is too large: expected 8 MiB at most");
        case net::HttpRefusal::too_slow:
            return problem(408, "REQUEST_TIMEOUT", "the request took too long");
        case net::HttpRefusal::bad_request:
            break;
    }
    return bad_request("not an HTTP request");
}

}  // namespace onceward::admin
