#include "exchange.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

namespace onceward::fuzz {

namespace {

using test::Extent;
using test::StrictReader;
using test::StrictResponse;

std::uint64_t turn_at(const ServiceTrace& trace, std::size_t offset) {
    std::uint64_t turn = 0;
    for (const auto& arrival : trace.arrivals) {
        turn = arrival.from <= offset ? arrival.turn : turn;
    }
    return turn;
}

/// A message from the proxy says where it ends in one way.
void check_framing(const test::StrictMessage& message) {
    const auto lengths = count_fields(message.fields, "Content-Length");
    const auto codings = count_fields(message.fields, "Transfer-Encoding");
    expect(lengths + codings <= 1, "one framing field at most");
    expect(message.minor_version == 1, "HTTP/1.1 is spoken");
}

void check_request(const test::StrictRequest& request) {
    check_framing(request);
    expect(count_fields(request.fields, "Host") == 1, "one Host goes to the service");
    expect(request.target.front() == '/' || request.target == "*", "origin-form goes to the service");
    expect(count_fields(request.fields, "Expect") == 0, "Expect is the hop's");
}

void read_answers(StrictReader& sent, Exchange& exchange) {
    for (auto response = sent.next_response(exchange.request.method); response;
         response = sent.next_response(exchange.request.method)) {
        if (response->status >= 200 || response->status == 101) {
            exchange.response = std::move(response);
            return;
        }
        exchange.interim.push_back(*std::move(response));
    }
}

/// The service takes another request only behind an answer that lets the connection live.
bool lives_on(const Exchange& exchange) {
    return exchange.request.extent == Extent::whole && exchange.response && exchange.response->extent == Extent::whole &&
           exchange.response->persists && exchange.response->status != 101;
}

void read_connection(const ServiceTrace& trace, std::vector<Exchange>& all) {
    StrictReader received(trace.received);
    StrictReader sent(trace.sent, trace.end);
    bool live = true;
    while (live) {
        const auto offset = trace.received.size() - received.rest().size();
        auto request = received.next_request();
        if (!request) {
            break;
        }
        check_request(*request);
        Exchange exchange{*std::move(request), turn_at(trace, offset), {}, {}, {}, {}};
        read_answers(sent, exchange);
        if (exchange.response && exchange.response->status == 101) {
            exchange.tunnel_up = received.rest();
            exchange.tunnel_down = sent.rest();
            all.push_back(std::move(exchange));
            return;
        }
        live = lives_on(exchange);
        all.push_back(std::move(exchange));
    }
    expect(!received.malformed(), "the service gets valid requests");
    expect(received.rest().empty() || (trace.paused && live),
           "the service gets whole heads, and the next request only on a connection that lives");
}

const Trace* shown = nullptr;

void show(const char* who, std::size_t at, const std::string& to_proxy, const std::string& from_proxy) {
    std::fprintf(stderr, "--- %s %zu sent\n%s\n--- %s %zu got\n%s\n", who, at, to_proxy.c_str(), who, at, from_proxy.c_str());
}

}  // namespace

void show_when_unexpected(const Trace& trace) {
    shown = &trace;
}

void expect(bool holds, const char* what) {
    if (holds) {
        return;
    }
    for (std::size_t i = 0; shown != nullptr && i < shown->clients.size(); ++i) {
        show("client", i, shown->clients[i].sent, shown->clients[i].received);
    }
    for (std::size_t i = 0; shown != nullptr && i < shown->services.size(); ++i) {
        show("service", i, shown->services[i].sent, shown->services[i].received);
    }
    std::fprintf(stderr, "not so: %s\n", what);
    std::abort();
}

std::vector<Exchange> read_exchanges(const Trace& trace) {
    std::vector<Exchange> all;
    for (const auto& service : trace.services) {
        read_connection(service, all);
    }
    std::stable_sort(all.begin(), all.end(), [](const Exchange& a, const Exchange& b) { return a.turn < b.turn; });
    return all;
}

bool is_claimed(const test::StrictRequest& request) {
    return std::any_of(request.fields.begin(), request.fields.end(),
                       [](const test::StrictField& field) { return is_claim_field(field.name); });
}

}  // namespace onceward::fuzz
