#include "oracle.hpp"

#include <algorithm>
#include <map>

namespace onceward::fuzz {

namespace {

using test::Extent;
using test::StrictRequest;
using test::StrictResponse;

/// What a lenient service could take the path for.
std::string loosest_path(std::string path) {
    path.resize(std::min(path.size(), path.find('?')));
    for (int round = 0; round < 4; ++round) {
        std::string decoded;
        for (std::size_t i = 0; i < path.size(); ++i) {
            const auto hex = path.substr(i + 1, 2);
            if (path[i] == '%' && hex.size() == 2 && hex.find_first_not_of("0123456789abcdefABCDEF") == std::string::npos) {
                decoded += static_cast<char>(std::stoi(hex, nullptr, 16));
                i += 2;
            } else {
                decoded += path[i];
            }
        }
        path = std::move(decoded);
    }
    std::replace(path.begin(), path.end(), '\\', '/');
    std::vector<std::string> segments;
    for (std::size_t start = 0; start < path.size();) {
        const auto end = std::min(path.find('/', start), path.size());
        auto segment = path.substr(start, end - start);
        segment.resize(std::min(segment.size(), segment.find(';')));
        if (segment == ".." && !segments.empty()) {
            segments.pop_back();
        } else if (!segment.empty() && segment != "." && segment != "..") {
            segments.push_back(std::move(segment));
        }
        start = end + 1;
    }
    std::string out;
    for (const auto& segment : segments) {
        out += "/" + segment;
    }
    return out;
}

enum class Route : std::uint8_t { none, orders, notes };

/// The route whose guard a service that reads loosely would expect in front of this request.
Route loosest_route(const StrictRequest& request) {
    const auto path = loosest_path(request.path);
    if (test::same_name(path, "/orders") && test::same_name(request.method, "POST")) {
        return Route::orders;
    }
    const bool writes = test::same_name(request.method, "POST") || test::same_name(request.method, "PUT");
    const bool below = test::same_name(std::string_view(path).substr(0, 7), "/notes/");
    return writes && below && path.find('/', 7) == std::string::npos ? Route::notes : Route::none;
}

/// The key that an Idempotency-Key field names, quoted (RFC 9651 section 3.3.3) or bare.
std::string key_of(const StrictRequest& request) {
    const auto value = field_value(request.fields, "Idempotency-Key");
    if (value.size() < 2 || value.front() != '"' || value.back() != '"') {
        return std::string(value);
    }
    std::string key;
    for (std::size_t i = 1; i + 1 < value.size(); ++i) {
        i += static_cast<std::size_t>(value[i] == '\\');
        key += value[i];
    }
    return key;
}

std::int64_t number(const StrictRequest& request, std::string_view name) {
    expect(count_fields(request.fields, name) == 1, "each of Onceward's own fields is there once");
    const auto value = test::decimal(field_value(request.fields, name));
    expect(value && *value > 0, "each of Onceward's own fields is a number");
    return static_cast<std::int64_t>(*value);
}

/// The answer frees the key by spec section 3.
bool is_released(const Exchange& exchange) {
    if (!exchange.response || exchange.response->extent != Extent::whole) {
        return false;
    }
    const StrictResponse& response = *exchange.response;
    const auto status = response.status;
    if (const auto said = count_fields(response.fields, "Idempotency-Outcome"); said > 0) {
        return said == 1 && test::same_name(field_value(response.fields, "Idempotency-Outcome"), "not-executed");
    }
    const bool refused = status == 401 || status == 403 || status == 407 || status == 408 || status == 425 || status == 429;
    const bool failed = status >= 500 && status <= 599 && status != 502 && status != 504;
    const bool elsewhere = (status == 307 || status == 308) && count_fields(response.fields, "Location") > 0;
    return refused || failed || elsewhere;
}

void check_second(const Exchange& first, const Exchange& second) {
    expect(is_released(first), "a key executes again only after an answer that frees it");
    const auto attempt = number(first.request, "Idempotency-Attempt");
    expect(number(second.request, "Idempotency-Attempt") == attempt + 1, "attempts are counted");
    expect(number(second.request, "Idempotency-Fence") > number(first.request, "Idempotency-Fence"), "fences grow");
    const bool same = first.request.content == second.request.content && first.request.path == second.request.path;
    expect(!same || number(first.request, "Idempotency-Operation-Id") == number(second.request, "Idempotency-Operation-Id"),
           "the same request keeps its operation id");
}

}  // namespace

void check_guarded(const std::vector<Exchange>& exchanges) {
    std::map<std::pair<Route, std::string>, const Exchange*> latest;
    for (const auto& exchange : exchanges) {
        const auto& request = exchange.request;
        const auto route = loosest_route(request);
        if (!is_claimed(request)) {
            expect(route != Route::orders, "nothing that may mean a guarded route goes past the guard");
            expect(route != Route::notes || count_fields(request.fields, "Idempotency-Key") == 0,
                   "no key that may mean a guarded route goes past the guard");
            continue;
        }
        expect(route != Route::none, "only guarded routes have claims");
        expect(count_fields(request.fields, "Idempotency-Key") == 1, "one key names an execution");
        number(request, "Idempotency-Operation-Id");
        auto& before = latest[{route, key_of(request)}];
        if (before != nullptr) {
            check_second(*before, exchange);
        }
        before = &exchange;
    }
}

}  // namespace onceward::fuzz
