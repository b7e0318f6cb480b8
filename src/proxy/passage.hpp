#pragma once

#include "net/event.hpp"
#include "onceward/guard/problem.hpp"
#include "onceward/http/forward.hpp"
#include "onceward/http/message_parser.hpp"
#include "proxy/session.hpp"
#include "upstream/pool.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace onceward::proxy {

/// One unguarded request on its way up and its answer on the way down.
class Passage {
public:
    explicit Passage(Session& session)
        : s_(session),
          websocket_(session.head.upgrade_websocket),
          parser_(http::response_head_limits),
          uploaded_(session.loop.io) {
        s_.set_passage(&slot_);
    }
    Passage(const Passage&) = delete;
    Passage& operator=(const Passage&) = delete;
    ~Passage() { s_.set_passage(nullptr); }

    Task<> run();
    /// When a connection was had for it; nothing: none was, or it became a tunnel, whose time says nothing of the service.
    [[nodiscard]] std::optional<Deadline> begun() const { return begun_; }

private:
    enum class Sent : std::uint8_t { all, in_part, nothing };

    void append_request();
    bool take_buffered_body();
    bool take_read_body();
    Task<Sent> send_request();
    Task<> start_upload(Sent sent);
    Task<> upload();
    Task<bool> upload_piece();
    Task<> finish_upload();

    Task<std::optional<guard::ProblemCode>> receive_head();
    Task<bool> relay_content();
    Task<bool> flush(std::string_view end);
    void append_answer_head();
    Task<> answer();
    Task<> switch_protocols();
    Task<> give_up(guard::ProblemCode problem);
    [[nodiscard]] bool may_resend() const;

    Session& s_;
    upstream::Slot slot_;
    std::optional<Deadline> begun_;
    bool websocket_;
    http::ResponseParser parser_;
    http::ResponseHead response_;
    http::ResponsePlan plan_;
    std::string up_;             ///< bytes for the upstream
    std::uint64_t body_at_ = 0;  ///< of content that was read before: what is behind it
    bool body_taken_ = false;    ///< all request content is in `up_`, or sent
    bool up_is_whole_ = false;   ///< the whole request is in `up_`, as it went out first
    bool body_lost_ = false;     ///< the rest can't be had again
    bool uploading_ = false;
    bool upload_failed_ = false;
    bool upload_stalled_ = false;
    bool stop_upload_ = false;
    bool client_left_ = false;
    net::Event uploaded_;
};

}  // namespace onceward::proxy
