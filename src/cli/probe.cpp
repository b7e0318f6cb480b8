#include "cli/probe.hpp"

#include "cli/endpoint.hpp"
#include "cli/output.hpp"
#include "cli/record_table.hpp"

#include <poll.h>

#include <algorithm>
#include <iostream>
#include <optional>

namespace onceward::cli {

namespace {

using std::chrono::steady_clock;

constexpr milliseconds look_interval{100};

/// Nothing when it is ready; else why not.
std::optional<std::string> ask(const Endpoint& endpoint, milliseconds limit) {
    const auto sent = send(endpoint, {"GET", "/readyz", {}}, limit);
    if (const auto* what = std::get_if<std::string>(&sent)) {
        return config::to_text(endpoint.address) + ": " + *what;
    }
    const auto& reply = std::get<HttpReply>(sent);
    if (reply.status == 200) {
        return std::nullopt;
    }
    const auto line = reply.content.substr(0, reply.content.find('\n'));
    return "not ready (" + std::to_string(reply.status) + "): " + printable(line);
}

std::optional<Endpoint> endpoint_of(const Invocation& invocation) {
    auto endpoint = health_endpoint(invocation);
    if (const auto* none = std::get_if<NoEndpoint>(&endpoint)) {
        std::cerr << "error: " << none->what << "\n";
        return std::nullopt;
    }
    return std::get<Endpoint>(std::move(endpoint));
}

}  // namespace

int execute_healthcheck(const Invocation& invocation) {
    const auto endpoint = endpoint_of(invocation);
    if (!endpoint) {
        return bad_usage;
    }
    const auto complaint = ask(*endpoint, invocation.timeout.count() > 0 ? invocation.timeout : healthcheck_timeout);
    if (complaint) {
        std::cerr << "error: " << *complaint << "\n";
        return failed;
    }
    return print("ready\n");
}

int execute_wait(const Invocation& invocation) {
    const auto endpoint = endpoint_of(invocation);
    if (!endpoint) {
        return bad_usage;
    }
    const auto until = steady_clock::now() + (invocation.timeout.count() > 0 ? invocation.timeout : wait_timeout);
    for (;;) {
        const auto left = std::chrono::duration_cast<milliseconds>(until - steady_clock::now());
        const auto complaint = ask(*endpoint, std::clamp(left, look_interval, healthcheck_timeout));
        if (!complaint) {
            return print("ready\n");
        }
        if (steady_clock::now() + look_interval >= until) {
            std::cerr << "error: not in time: " << *complaint << "\n";
            return failed;
        }
        ::poll(nullptr, 0, static_cast<int>(look_interval.count()));
    }
}

}  // namespace onceward::cli
