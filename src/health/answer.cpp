#include "health/answer.hpp"

#include "onceward/http/date.hpp"

#include <algorithm>

namespace onceward::health {
namespace {

constexpr std::string_view plain_text = "text/plain; charset=utf-8";

std::string_view reason_of(int status) {
    switch (status) {
        case 200:
            return "OK";
        case 400:
            return "Bad Request";
        case 404:
            return "Not Found";
        case 405:
            return "Method Not Allowed";
        case 408:
            return "Request Timeout";
        case 414:
            return "URI Too Long";
        case 417:
            return "Expectation Failed";
        case 431:
            return "Request Header Fields Too Large";
        default:
            return "Service Unavailable";
    }
}

/// `?verbose`, alone or among others, whatever its value.
bool asks_for_every_check(std::string_view query) {
    constexpr std::string_view name = "verbose";
    while (!query.empty()) {
        const auto parameter = query.substr(0, query.find('&'));
        if (parameter.substr(0, parameter.find('=')) == name) {
            return true;
        }
        query.remove_prefix(std::min(query.size(), parameter.size() + 1));
    }
    return false;
}

Answer readiness(const http::RequestHead& request, HealthSource& source) {
    const auto detail = asks_for_every_check(request.query) ? Detail::every_check : Detail::brief;
    return {source.ready() ? 200 : 503, plain_text, source.readiness_text(detail)};
}

}  // namespace

Answer answer(const http::RequestHead& request, HealthSource& source) {
    const std::string_view path = request.path;
    if (path != "/livez" && path != "/readyz" && path != "/metrics") {
        return {404, plain_text, "not found: /livez, /readyz and /metrics are here"};
    }
    if (request.method != "GET" && request.method != "HEAD") {
        return {405, plain_text, "GET and HEAD only"};
    }
    if (path == "/readyz") {
        return readiness(request, source);
    }
    if (path == "/metrics") {
        return {200, "text/plain; version=0.0.4; charset=utf-8", source.metrics()};
    }
    return {200, plain_text, "ok"};
}

Answer answer(http::HeadError error) {
    switch (error) {
        case http::HeadError::method_not_allowed:
            return {405, plain_text, "GET and HEAD only"};
        case http::HeadError::target_too_long:
            return {414, plain_text, "the target is too long"};
        case http::HeadError::expectation_failed:
            return {417, plain_text, "the expectation can't be met"};
        case http::HeadError::headers_too_large:
            return {431, plain_text, "the head is too large"};
        case http::HeadError::none:
        case http::HeadError::bad_request:
            break;
    }
    return {400, plain_text, "not an HTTP request"};
}

Answer answer_too_slow() {
    return {408, plain_text, "the head took too long"};
}

void append_response(std::string& out, const Answer& answer, std::string_view method, After after, std::chrono::sys_seconds now) {
    out += "HTTP/1.1 ";
    out += std::to_string(answer.status);
    out += ' ';
    out += reason_of(answer.status);
    out += "\r\nDate: ";
    http::append_date(out, now);
    out += "\r\nContent-Type: ";
    out += answer.content_type;
    out += "\r\nContent-Length: ";
    out += std::to_string(answer.body.size());
    out += "\r\nCache-Control: no-store";
    if (answer.status == 405) {
        out += "\r\nAllow: GET, HEAD";
    }
    // Said in both cases: HTTP/1.0 clients wait for the first, HTTP/1.1 clients for the second.
    out += after == After::close ? "\r\nConnection: close\r\n\r\n" : "\r\nConnection: keep-alive\r\n\r\n";
    if (method != "HEAD") {
        out += answer.body;
    }
}

}  // namespace onceward::health
