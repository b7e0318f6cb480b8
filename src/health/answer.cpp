#include "health/answer.hpp"

#include <algorithm>

namespace onceward::health {
namespace {

net::HttpAnswer plain(int status, std::string text) {
    net::HttpAnswer answer;
    answer.status = status;
    answer.body = std::move(text);
    return answer;
}

net::HttpAnswer only_reading() {
    auto answer = plain(405, "GET and HEAD only");
    answer.fields = "Allow: GET, HEAD\r\n";
    return answer;
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

net::HttpAnswer readiness(const http::RequestHead& request, HealthSource& source) {
    const auto detail = asks_for_every_check(request.query) ? Detail::every_check : Detail::brief;
    return plain(source.ready() ? 200 : 503, source.readiness_text(detail));
}

}  // namespace

bool is_page(std::string_view path) {
    return path == "/livez" || path == "/readyz" || path == "/metrics";
}

net::HttpAnswer answer(const http::RequestHead& request, HealthSource& source) {
    const std::string_view path = request.path;
    if (path == "*") {
        return only_reading();
    }
    if (!is_page(path)) {
        return plain(404, "not found: /livez, /readyz and /metrics are here");
    }
    if (request.method != "GET" && request.method != "HEAD") {
        return only_reading();
    }
    if (path == "/readyz") {
        return readiness(request, source);
    }
    if (path == "/metrics") {
        auto metrics = plain(200, source.metrics());
        metrics.content_type = "text/plain; version=0.0.4; charset=utf-8";
        return metrics;
    }
    return plain(200, "ok");
}

net::HttpAnswer answer(net::HttpRefusal refusal) {
    switch (refusal) {
        case net::HttpRefusal::method_not_allowed:
            return only_reading();
        case net::HttpRefusal::target_too_long:
            return plain(414, "the target is too long");
        case net::HttpRefusal::expectation_failed:
            return plain(417, "the expectation can't be met");
        case net::HttpRefusal::headers_too_large:
            return plain(431, "the head is too large");
        case net::HttpRefusal::content_too_large:
            return plain(413, "the content is too large");
        case net::HttpRefusal::too_slow:
            return plain(408, "the head took too long");
        case net::HttpRefusal::bad_request:
            break;
    }
    return plain(400, "not an HTTP request");
}

}  // namespace onceward::health
