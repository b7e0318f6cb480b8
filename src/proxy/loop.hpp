#pragma once

#include "net/deadline.hpp"
#include "onceward/http/date.hpp"
#include "onceward/store/store.hpp"
#include "onceward/telemetry/metrics.hpp"
#include "proxy/execution.hpp"
#include "proxy/operation_ids.hpp"
#include "proxy/rules.hpp"
#include "proxy/session.hpp"
#include "proxy/waiters.hpp"
#include "upstream/pool.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/intrusive/list.hpp>

#include <atomic>
#include <memory>

namespace onceward::proxy {

/// Client connections of the process: `limits.connections` is exact, whatever the number of loops.
class ConnectionCount {
public:
    explicit ConnectionCount(std::uint32_t max) : max_(max) {}
    /// From any thread. Connections beyond a smaller number stay.
    void set_max(std::uint32_t max) { max_ = max; }
    [[nodiscard]] bool take() {
        if (count_.fetch_add(1) < max_) {
            return true;
        }
        count_.fetch_sub(1);
        return false;
    }
    void give() { count_.fetch_sub(1); }

private:
    std::atomic<std::uint32_t> max_;
    std::atomic<std::uint32_t> count_{0};
};

/// Everything that the requests of one event loop share: owned by that loop's thread, touched by no other.
struct Loop {
    Loop(boost::asio::io_context& io_context, const config::Upstream& upstream, upstream::Permits& permits,
         ConnectionCount& connection_count);
    Loop(const Loop&) = delete;
    Loop& operator=(const Loop&) = delete;
    ~Loop();

    boost::asio::io_context& io;
    RulesPtr rules;  ///< set before the first request; replaced as a whole
    net::Deadlines deadlines;
    upstream::Pool pool;
    Waiters waiters;
    std::unique_ptr<store::Store> store;  ///< set before the first request
    telemetry::LoopMetrics metrics;
    http::DateCache dates;
    OperationIds ids;
    ConnectionCount& connections;
    boost::intrusive::list<Session, boost::intrusive::constant_time_size<false>> sessions;
    ExecutionRegistry executions;
    std::size_t coroutine_count = 0;   ///< spawned and not ended
    std::size_t opening_count = 0;     ///< connections that were taken and have no session yet
    std::size_t refused_count = 0;     ///< connections beyond the limit that are seen off
    std::size_t background_count = 0;  ///< releases and notes that wait for the store
    bool draining = false;             ///< the process was told to stop: answers carry `Connection: close`
    bool closing = false;              ///< the listeners are closed: no connection is kept for a further request
    bool grace_over = false;           ///< the process is about to go: nothing is executed or waited for any more
    bool stopping = false;             ///< what waits for the store gives up
    Deadline last_store_warning{};
    Deadline last_opening_warning{};  ///< of a connection that did not get as far as HTTP

    /// Value of Date for an answer sent now; valid until the next call.
    std::string_view date();
    /// What is configured now. A request goes by its own `Session::options`.
    [[nodiscard]] const config::Options& options() const { return rules->options(); }
};

}  // namespace onceward::proxy
