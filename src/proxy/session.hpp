#pragma once

#include "net/stream.hpp"
#include "onceward/guard/command.hpp"
#include "onceward/guard/problem.hpp"
#include "onceward/http/message.hpp"
#include "onceward/http/message_parser.hpp"
#include "onceward/reply/problem_reply.hpp"
#include "onceward/route/route_table.hpp"
#include "onceward/telemetry/access_log.hpp"
#include "proxy/claiming.hpp"
#include "proxy/peer.hpp"
#include "proxy/request_body.hpp"
#include "proxy/rules.hpp"
#include "upstream/pool.hpp"

#include <boost/intrusive/list.hpp>

#include <optional>
#include <string>

namespace onceward::proxy {

struct Loop;

/// What the access line and the metrics say of one request.
struct Tally {
    std::size_t route_index = 0;
    bool guarded = false;  ///< answers carry the idempotency fields
    int status = 0;        ///< 0: no answer went out
    guard::IdempotencyStatus idempotency = guard::IdempotencyStatus::passed;
    std::int64_t operation_id = 0;
    std::uint32_t attempt = 0;
    std::string key_hash;
    std::string_view code;
    bool request_id_tells_key = false;
    bool trace_id_tells_key = false;
    bool client_gone = false;  ///< before it could be answered
    bool client_looked_for = false;
    std::chrono::microseconds upstream{-1};
    std::chrono::microseconds store{-1};
    Deadline started{};
    std::uint64_t bytes_in = 0;
    std::uint64_t bytes_out = 0;

    void add_store(std::chrono::microseconds time) { store = (store.count() < 0 ? std::chrono::microseconds{0} : store) + time; }
};

/// How reading a guarded body ended.
enum class BodyRead : std::uint8_t { whole, too_large, malformed, stalled, gone };

/// How far an answer has got.
enum class SendState : std::uint8_t { sent, pending, gone };

/// One client connection: requests one after the other, each handed to the pipeline. Of one event loop; lives in its coroutine.
/// The buffers are used again from request to request.
class Session : public boost::intrusive::list_base_hook<boost::intrusive::link_mode<boost::intrusive::auto_unlink>> {
public:
    /// `listener` is the place in `Options::listen` of the address that the client connected to.
    Session(Loop& owner, net::Socket socket, std::size_t listener);
    ~Session();

    /// Serves the connection to its end.
    Task<> run();

    /// Ends the connection if it is between two requests and nothing of the next has arrived. One that has yet to send its first
    /// request gets a moment; any other closes behind its answer.
    void drain();

    /// Whether the connection will be used on behind the answer that is being made.
    [[nodiscard]] http::ConnectionUse connection_use() const;
    /// The connection can't be used behind this request.
    void close_behind() { close_ = true; }
    /// Not even the answer can be finished: the client must see that it broke off.
    void break_off();
    /// The client left in the middle of its request.
    void client_left();
    /// Ends what an unguarded request waits for at the upstream.
    void give_up_passage();
    /// Where such a request is at the upstream; null in between. Outlived by the session.
    void set_passage(upstream::Slot* slot) { passage_ = slot; }

    /// Takes content that has arrived with the head into `body`; nothing: more must be read.
    std::optional<BodyRead> take_body(const config::Route& route);
    /// Reads the whole content into `body`, `max_request_body` at most; answers `Expect: 100-continue`.
    Task<BodyRead> read_body(const config::Route& route);
    /// Starts to send an answer. Mostly the socket takes it whole, and then nothing is suspended; `pending` is finished by
    /// `finish_send`, until when the bytes must stay.
    SendState start_send(const net::Stream::Buffers& buffers);
    Task<SendState> finish_send();
    /// Sends an answer; false: the client is gone.
    Task<bool> send(net::Stream::Buffers buffers);
    Task<bool> send_out() { return send({net::buffer_of(out), {}, {}}); }
    /// Answers with a problem. Request content that is still to come ends the connection behind it.
    Task<> refuse(reply::ProblemReply problem);
    Task<> refuse(guard::ProblemCode code);
    /// With a Retry-After: what is in the way is expected to pass.
    Task<> refuse_for_now(guard::ProblemCode code);
    /// Nothing could be sent to the upstream.
    Task<> refuse_unreachable();
    /// How content that was read into `body` goes up.
    [[nodiscard]] http::BodyFraming buffered_framing() const;
    [[nodiscard]] reply::ProblemReply problem(guard::ProblemCode code) const;
    /// What the request that is being answered goes by.
    [[nodiscard]] const RulesPtr& rules() const { return rules_; }
    [[nodiscard]] const Plan& plan() const { return *rules_->plan; }
    [[nodiscard]] const config::Options& options() const { return rules_->options(); }
    [[nodiscard]] http::ClientFacts client() const {
        return {peer_.address, stream.tls() == nullptr ? "http" : "https", peer_.trust, options().trusted_proxies, subject_};
    }
    /// `traceparent` for the upstream where the client sent none.
    const std::string& new_traceparent();
    /// `X-Request-Id` for the upstream, likewise.
    const std::string& new_request_id();

    Loop& loop;
    net::Stream stream;
    http::RequestParser parser;
    http::RequestHead head;
    route::Match match;
    RequestBody body;
    bool body_is_read = false;
    std::string out;
    std::string lines;  ///< field lines of the answer being made
    guard::ClaimRequest claim;
    ClaimOutcome claimed;  ///< of the latest claim
    Tally tally;

private:
    /// What comes before HTTP on this listener, all of it within `header_timeout`; false: the connection is of no use.
    Task<bool> open();
    Task<bool> read_proxy_header();
    Task<bool> start_tls();
    [[nodiscard]] const config::Listener& listener() const { return options().listen[listener_]; }
    [[nodiscard]] Peer find_peer() const;
    void take_rules();
    Task<bool> read_head();
    /// Of what has arrived. A head that is done is taken from the buffer.
    http::HeadResult parse_head();
    /// Whether the end of a wait for a head is no reason to give up.
    bool may_look_again(const boost::system::error_code& ec, net::Look look);
    /// Answers a request whose head can't be used, or did not come in time; the last answer on the connection.
    Task<> refuse_unread(guard::ProblemCode code);
    SendState gone();
    void look_for_client();
    void begin_request();
    void finish_request();
    void skim_body();
    void name_ids(telemetry::AccessEntry& entry);
    [[nodiscard]] bool tells_key(std::string_view id) const;
    [[nodiscard]] std::string_view path_to_log() const;

    RulesPtr rules_;
    upstream::Slot* passage_ = nullptr;
    std::size_t listener_;
    std::optional<asio::ip::address> told_client_;  ///< by a load balancer
    Peer peer_;
    std::optional<std::string> subject_;  ///< of the client's certificate
    std::string traceparent_;
    std::string request_id_;
    net::Stream::Buffers unsent_;
    bool idle_ = true;
    bool close_ = false;
    bool broken_ = false;
    bool linger_ = false;
};

/// In a Pod that stops, the service may be gone before this process: what could not be sent is then for another replica. The
/// problem becomes a 503 that says when to come again.
void say_stopping(reply::ProblemReply& problem);

/// The way of one request (pipeline.cpp): match, key, body, fingerprint, claim, verdict, execution or answer.
Task<> handle(Session& session);

/// A request that no guard is concerned with: streamed both ways (passthrough.cpp). Content that was read already is sent from
/// `body`.
Task<> pass_through(Session& session);

}  // namespace onceward::proxy
