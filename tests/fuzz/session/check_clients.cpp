#include "oracle.hpp"

#include <algorithm>

namespace onceward::fuzz {

namespace {

using test::Extent;
using test::StrictReader;
using test::StrictRequest;
using test::StrictResponse;

/// An answer of the proxy itself: a problem, or that of OPTIONS which ends here.
bool is_own(const StrictResponse& response, const StrictRequest* asked) {
    const bool ends_here = asked != nullptr && asked->method == "OPTIONS" && response.status == 204 &&
                           test::decimal(field_value(asked->fields, "Max-Forwards")) == 0;
    return ends_here || field_value(response.fields, "Content-Type") == "application/problem+json";
}

/// A recorded answer is for every request with its key; any other only for the one that it was made for.
bool is_answer_to(const Exchange& exchange, const StrictRequest& asked, const StrictResponse& response) {
    if (count_fields(response.fields, "Idempotency-Replayed") > 0) {
        return is_claimed(exchange.request) && exchange.request.method == asked.method &&
               exchange.request.content == asked.content;
    }
    return may_become(asked, exchange.request);
}

/// One client connection from its beginning.
class Reading {
public:
    Reading(const ClientTrace& trace, std::size_t at, const std::vector<Exchange>& exchanges)
        : trace_(trace),
          at_(at),
          exchanges_(exchanges),
          sent_(trace.sent),
          received_(trace.received, trace.left ? test::StreamEnd::reset : trace.proxy_end) {}

    std::vector<Asked> run() {
        bool more = true;
        while (more) {
            more = next();
        }
        expect(!received_.malformed(), "a client gets valid answers");
        expect(received_.rest().empty() || trace_.left, "a client gets whole heads, and nothing behind its answers");
        return std::move(asked_);
    }

private:
    bool next() {
        const auto request = sent_.next_request();
        if (request) {
            asked_.push_back({*request, at_});
        }
        auto response = received_.next_response(request ? request->method : "GET");
        for (; response && response->status < 200 && response->status != 101;
             response = received_.next_response(request ? request->method : "GET")) {
            check_interim(request ? &*request : nullptr, *response);
        }
        if (!response) {
            return false;
        }
        check_framing(*response);
        if (!request) {
            check_refusal(*response);
            return false;
        }
        if (response->status == 101) {
            check_tunnel(*request, *response);
            return false;
        }
        check_answer(*request, *response);
        return request->extent == Extent::whole && response->extent == Extent::whole && response->persists && request->persists;
    }

    void check_interim(const StrictRequest* request, const StrictResponse& interim) {
        expect(request != nullptr && request->minor_version == 1, "interim answers are for HTTP/1.1 requests");
        if (interim.status == 100) {
            expect(has_member(request->fields, "Expect", "100-continue"), "100 goes to who expects it");
            return;
        }
        const auto brought = [&](const Exchange& exchange) {
            return may_become(*request, exchange.request) &&
                   std::any_of(exchange.interim.begin(), exchange.interim.end(),
                               [&](const StrictResponse& sent) { return may_become(sent, interim); });
        };
        expect(std::any_of(exchanges_.begin(), exchanges_.end(), brought), "an interim answer is the service's");
    }

    static void check_framing(const StrictResponse& response) {
        expect(count_fields(response.fields, "Content-Length") + count_fields(response.fields, "Transfer-Encoding") <= 1,
               "an answer has one framing field at most");
        expect(response.minor_version == 1, "clients are answered in HTTP/1.1");
    }

    /// What is no request gets one answer at most, and the connection ends.
    void check_refusal(const StrictResponse& response) {
        expect(is_own(response, nullptr), "what is no request has no answer of the service's");
        expect(!response.persists, "the connection ends behind what is no request");
        expect(response.extent == Extent::whole || trace_.sent.find("HEAD ") != std::string::npos || trace_.left,
               "a refusal is whole");
    }

    void check_answer(const StrictRequest& request, const StrictResponse& response) {
        expect(request.minor_version == 1 || response.coding != test::Coding::chunked, "HTTP/1.0 clients get no chunks");
        if (is_own(response, &request)) {
            return;
        }
        const auto made = [&](const Exchange& exchange) {
            return exchange.response && is_answer_to(exchange, request, response) && may_become(*exchange.response, response) &&
                   (request.method != "HEAD" || same_length(*exchange.response, response));
        };
        expect(std::any_of(exchanges_.begin(), exchanges_.end(), made), "an answer is one that the service gave to this request");
    }

    /// What HEAD says of the content of GET is what the service says.
    static bool same_length(const StrictResponse& sent, const StrictResponse& received) {
        const auto told = list_members(received.fields, "Content-Length");
        const auto known = list_members(sent.fields, "Content-Length");
        return told.empty() || (!known.empty() && test::decimal(told.front()) == test::decimal(known.front()));
    }

    void check_tunnel(const StrictRequest& request, const StrictResponse& response) {
        const auto made = [&](const Exchange& exchange) {
            return exchange.response && exchange.response->status == 101 && may_become(request, exchange.request) &&
                   may_become(*exchange.response, response) && sent_.rest().starts_with(exchange.tunnel_up) &&
                   exchange.tunnel_down.starts_with(received_.rest());
        };
        expect(has_member(request.fields, "Upgrade", "websocket") && has_member(request.fields, "Connection", "Upgrade"),
               "a tunnel is opened to who asked for it");
        expect(std::any_of(exchanges_.begin(), exchanges_.end(), made), "a tunnel carries what its two ends sent");
        received_ = StrictReader({});
    }

    const ClientTrace& trace_;
    std::size_t at_;
    const std::vector<Exchange>& exchanges_;
    StrictReader sent_;
    StrictReader received_;
    std::vector<Asked> asked_;
};

}  // namespace

std::vector<std::vector<Asked>> check_clients(const Trace& trace, const std::vector<Exchange>& exchanges) {
    std::vector<std::vector<Asked>> asked;
    for (std::size_t i = 0; i < trace.clients.size(); ++i) {
        asked.push_back(Reading(trace.clients[i], i, exchanges).run());
    }
    return asked;
}

}  // namespace onceward::fuzz
