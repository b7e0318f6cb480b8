#pragma once

#include "onceward/base/time.hpp"
#include "onceward/store/store.hpp"
#include "store/redis/resp.hpp"

#include <boost/intrusive/slist.hpp>

#include <array>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

namespace onceward::store::redis {

/// A command and the place its reply goes to. Belongs to its caller, who keeps it alive until `end` or `abandon` was called.
class PendingCommand : public boost::intrusive::slist_base_hook<> {
public:
    PendingCommand() = default;
    PendingCommand(const PendingCommand&) = delete;
    PendingCommand& operator=(const PendingCommand&) = delete;
    virtual ~PendingCommand() = default;

    /// Appends the command as it is sent.
    virtual void write(std::string& out) = 0;
    /// The reply; it lives for the call only, which must not call the connection. Followed by `end`.
    virtual void on_reply(const Reply& reply) = 0;
    /// There is no reply. Followed by `end`.
    virtual void on_failure(StoreErrc errc) = 0;
    /// The last call.
    virtual void end() = 0;
    /// In place of all others: the connection goes away with its loop.
    virtual void abandon() = 0;

    Deadline deadline;
};

/// One connection as rules without I/O: which command gets which reply, and how commands end that get none.
///
/// Replies come in the order of commands, so a command that timed out makes the connection useless: its late reply would be taken
/// for another's.
class ConnectionMachine {
public:
    /// A connection attempt begins.
    void on_opening();
    /// Logged in: `first` is sent, then what waits.
    void on_open(std::initializer_list<PendingCommand*> first = {});
    /// The attempt failed or the connection ended; `next_attempt` is when it is tried again.
    void on_closed(Deadline next_attempt);

    void submit(PendingCommand& command);
    /// Input of the open connection.
    void on_bytes(std::string_view bytes);
    /// Ends what is over its deadline.
    void on_time(Deadline now);

    /// The connection must be closed: a command timed out, the input was broken, or the server said that it will not do. What is
    /// submitted meanwhile waits for the next connection.
    [[nodiscard]] bool is_spent() const { return spent_; }
    /// The server said so.
    [[nodiscard]] bool is_refused() const { return refused_; }
    /// Whether a reply that is no error has come since the last call.
    bool take_success();
    /// What the server said of the latest command that it will not do (permissions, memory) since the last call; else empty.
    std::string take_refusal();
    /// Moves what is to be sent into `batch`, which is empty; false when nothing is, or when the server has batches enough to
    /// work on.
    ///
    /// Commands that gather meanwhile go out together: a write and a read less for both sides, and no command is answered later,
    /// for the server takes one after the other anyway.
    bool take_batch(std::string& batch);
    [[nodiscard]] bool has_output() const { return !output_.empty(); }
    /// Earliest deadline of a command, or nothing.
    [[nodiscard]] std::optional<Deadline> next_deadline() const;
    /// A command that has its reply or failure: the caller calls its `end`. Null when there is none.
    PendingCommand* take_ended();
    /// Any command at all, for `abandon`.
    PendingCommand* take_any();

private:
    enum class State : std::uint8_t { closed, opening, open };
    using Queue =
        boost::intrusive::slist<PendingCommand, boost::intrusive::cache_last<true>, boost::intrusive::constant_time_size<false>>;

    void send(PendingCommand& command);
    void fail(PendingCommand& command, StoreErrc errc);
    template <typename Predicate>
    void fail_where(Queue& queue, StoreErrc errc, Predicate applies);
    void match(const Reply& reply);
    void note_error(std::string_view text);
    void spend();

    /// Batches that are under way at once: one that the server works on, one that is on its way.
    static constexpr std::size_t batches_max = 2;

    State state_ = State::closed;
    Deadline next_attempt_ = Deadline::min();
    bool spent_ = false;
    bool refused_ = false;
    bool success_ = false;
    std::string refusal_;
    Queue waiting_;  ///< not sent
    Queue sent_;
    Queue ended_;
    std::string output_;
    std::uint64_t written_ = 0;                            ///< commands that were put into `output_` on this connection
    std::uint64_t answered_ = 0;                           ///< and those that have their reply
    std::array<std::uint64_t, batches_max> batch_ends_{};  ///< `written_` at the end of the last batches, the oldest first
    ReplyReader reader_;
};

}  // namespace onceward::store::redis
