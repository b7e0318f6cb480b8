#pragma once

#include "net/event.hpp"
#include "onceward/config/options.hpp"
#include "onceward/crypto/sha256.hpp"
#include "onceward/guard/command.hpp"
#include "onceward/guard/ending.hpp"
#include "onceward/guard/problem.hpp"
#include "onceward/http/message.hpp"
#include "onceward/http/message_parser.hpp"
#include "onceward/reply/idempotency_fields.hpp"
#include "proxy/request_body.hpp"
#include "proxy/rules.hpp"
#include "upstream/pool.hpp"

#include <boost/intrusive/list.hpp>
#include <boost/smart_ptr/intrusive_ptr.hpp>

#include <optional>
#include <string>

namespace onceward::proxy {

struct Loop;
class Execution;
using ExecutionPtr = boost::intrusive_ptr<Execution>;

/// Keeps the lease of an execution alive while it runs.
class Heartbeat final : public net::Timed {
public:
    explicit Heartbeat(Execution& execution) : execution_(execution) {}

private:
    void on_deadline() override;
    Execution& execution_;
};

/// Whether an execution runs under a claim.
enum class Protection : std::uint8_t {
    guarded,
    bypassed  ///< the store was away and the route says `on_store_failure: forward`
};

/// What the client may be given.
enum class DeliveryStage : std::uint8_t {
    waiting,    ///< nothing yet, but for interim heads
    streaming,  ///< the head and the content so far; the end is held back
    finished,   ///< all of it
    refused,    ///< a problem instead of an answer
    cut         ///< the answer broke off after its head had gone out
};

/// What the execution hands to the session that waits for it, on the same loop.
struct Delivery {
    explicit Delivery(boost::asio::io_context& loop) : changed(loop), room(loop) {}

    DeliveryStage stage = DeliveryStage::waiting;
    bool attached = false;    ///< the session still takes it
    std::string interim;      ///< serialised 1xx heads not yet sent
    std::uint64_t taken = 0;  ///< content bytes that the session has sent
    guard::ProblemCode problem = guard::ProblemCode::upstream_lost;
    milliseconds retry_after{0};
    guard::IdempotencyStatus status = guard::IdempotencyStatus::executed;
    reply::Recorded recorded = reply::Recorded::yes;
    net::Event changed;  ///< set by the execution
    net::Event room;     ///< set by the session: content was taken, or it left
};

/// One attempt under a claim. It outlives the client that caused it: the session only waits for what `delivery` shows. Of one
/// loop; counted references, the last one gives it back to the loop's registry, which uses its buffers again.
class Execution : public boost::intrusive::list_base_hook<> {
public:
    explicit Execution(Loop& loop);
    Execution(const Execution&) = delete;
    Execution& operator=(const Execution&) = delete;

    void clear();

    [[nodiscard]] guard::RecordedResponse& recording();
    /// What the store is told about the outcome.
    [[nodiscard]] const guard::Command& settling_command() const { return other ? *other : command; }
    /// Content received so far; `content_at` is the offset of the first byte that is still kept.
    [[nodiscard]] std::string& content() { return recording().body; }
    [[nodiscard]] std::uint64_t content_end() { return content_at + content().size(); }
    [[nodiscard]] bool guarded() const { return protection == Protection::guarded; }
    /// Shows the session a stage, and wakes it.
    void show(DeliveryStage stage);

    Loop& loop;
    Protection protection = Protection::guarded;
    RulesPtr rules;  ///< those of the request that caused it
    std::size_t route_index = 0;
    const config::Route* route = nullptr;

    http::RequestHead
        request;               ///< method, path, query and host only: the session's own head is gone by the time of a late answer
    std::string request_head;  ///< serialised, for the upstream
    RequestBody request_body;
    std::uint64_t body_sent = 0;  ///< how much of it was handed to the socket, or is in `unsent`
    upstream::Slot slot;
    net::Stream::Buffers unsent;  ///< of the request, while `sending`
    net::Event sent;              ///< the part of the request that did not fit at once is written
    bool sending = false;

    guard::Command command;  ///< owner's command: Complete, with the answer as far as it was received
    std::optional<guard::Command>
        other;               ///< in its place where the outcome is not a recorded answer: the client still needs that one
    Deadline lease_until{};  ///< on this process's clock, from before the claim was sent
    Heartbeat heartbeat;
    bool renewing = false;
    bool settling = false;   ///< the outcome is on its way to the store
    bool settled = false;    ///< the store has answered for good
    bool abandoned = false;  ///< the process stops: settle as UNKNOWN

    http::ResponseParser parser;
    http::ResponseHead response;
    std::optional<guard::Judgement> judgement;  ///< once the head is there
    crypto::Sha256 digest;
    std::uint64_t content_at = 0;
    std::uint64_t stored_to = 0;  ///< how much of the content is in the store, in pieces (pieces.hpp)
    bool truncated = false;
    bool pieces_spare = false;  ///< the record was settled, and not with the pieces
    Deadline started{};
    std::chrono::microseconds upstream_time{-1};
    std::chrono::microseconds store_time{0};
    Delivery delivery;

private:
    friend void intrusive_ptr_add_ref(Execution* execution) { ++execution->references_; }
    friend void intrusive_ptr_release(Execution* execution);
    std::uint32_t references_ = 0;
};

/// The executions of one loop, under way and done.
class ExecutionRegistry {
public:
    explicit ExecutionRegistry(Loop& loop) : loop_(loop) {}
    ~ExecutionRegistry();
    ExecutionRegistry(const ExecutionRegistry&) = delete;
    ExecutionRegistry& operator=(const ExecutionRegistry&) = delete;

    ExecutionPtr make();
    [[nodiscard]] std::size_t open_count() const { return open_count_; }
    /// Ends what is under way as UNKNOWN: the process stops.
    void abandon_all();

private:
    friend void intrusive_ptr_release(Execution* execution);
    void recycle(Execution& execution);

    static constexpr std::size_t spare_max = 64;
    Loop& loop_;
    boost::intrusive::list<Execution> open_;
    std::vector<std::unique_ptr<Execution>> spare_;
    std::size_t open_count_ = 0;
};

/// Runs an execution to its end: sends the request, receives the answer, settles the record, shows the client its reply.
Task<> execute(ExecutionPtr execution);

/// Sends the request and receives the answer (exchange.cpp). How it ended.
Task<guard::Ending> exchange(Execution& execution);

/// Writes the outcome to the store and lets the reply go (settle.cpp). Goes on retrying after the client got its answer.
Task<> settle(Execution& execution, const guard::Ending& ending);

}  // namespace onceward::proxy
