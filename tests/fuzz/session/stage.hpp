#pragma once

#include "onceward/store/memory_store.hpp"
#include "peer.hpp"
#include "proxy/loop.hpp"
#include "script.hpp"
#include "trace.hpp"

#include <array>
#include <memory>
#include <vector>

namespace onceward::fuzz {

/// The service's unix socket, and what the proxy is configured with: the same for every script.
class Theatre {
public:
    Theatre();
    Theatre(const Theatre&) = delete;
    Theatre& operator=(const Theatre&) = delete;

    [[nodiscard]] const proxy::PlanPtr& plan() const { return plan_; }
    [[nodiscard]] telemetry::AccessRing& ring() { return silence_.ring(); }
    /// A connection that the proxy has opened; closed: there is none.
    [[nodiscard]] Descriptor accept() const;

private:
    Descriptor listener_;
    proxy::PlanPtr plan_;
    telemetry::AccessLog silence_{false};
};

/// One event loop of the proxy with its real sessions and a memory store, two clients, and the service. Nothing waits: each step
/// is played until nobody has anything left to do, and time passes when the script says so.
class Stage {
public:
    explicit Stage(Theatre& theatre);
    ~Stage();
    Stage(const Stage&) = delete;
    Stage& operator=(const Stage&) = delete;

    void play(const Step& step);
    /// Lets time pass until every limit is over, then closes what is left. Whatever still runs then is leaked.
    void finish();
    /// What must be zero by then: coroutines, executions, connections, requests, and clients that were left hanging.
    [[nodiscard]] std::array<std::int64_t, 5> left_over() const;
    [[nodiscard]] const Trace& trace() const { return trace_; }

private:
    struct Client {
        Peer peer;
        Descriptor proxy_side;  ///< a second descriptor of the proxy's end: what it did to the socket can be seen behind its end
        std::size_t at;         ///< in `trace_`
        bool session_ended = false;
    };
    struct Service {
        Peer peer;
        std::size_t at;
    };

    static Task<> serve(proxy::Loop& loop, net::Socket socket, Client& client);
    void play_client(char letter, std::unique_ptr<Client>& client, std::string_view text);
    void play_service(char letter, Service& service, std::string_view text);
    [[nodiscard]] std::unique_ptr<Client> connect();
    void end_client(std::unique_ptr<Client>& client, test::StreamEnd how);
    void pass(milliseconds time);
    void pass_limits();
    void settle();
    bool read_client(Client& client);
    bool read_services();
    bool accept_services();
    bool close_services();

    Theatre& theatre_;
    boost::asio::io_context io_{1};
    upstream::Permits permits_;
    proxy::ConnectionCount connections_;
    proxy::Loop loop_;
    store::MemoryBackend store_;
    Trace trace_;
    std::array<std::unique_ptr<Client>, 2> clients_;
    std::vector<std::unique_ptr<Client>> ended_clients_;  ///< their sessions may still run
    std::vector<Service> services_;
    std::uint64_t turn_ = 0;
    bool service_gone_ = false;  ///< it closes every connection
    std::int64_t hanging_ = 0;   ///< clients whose connection no limit ended
};

}  // namespace onceward::fuzz
