#pragma once

#include "net/event.hpp"
#include "net/stream.hpp"
#include "onceward/config/options.hpp"
#include "upstream/permits.hpp"

#include <boost/intrusive/list.hpp>

#include <memory>
#include <optional>
#include <vector>

namespace onceward::upstream {

class Pool;

/// How old an idle connection may be to carry a request (spec section 2.6).
enum class Freshness : std::uint8_t {
    pooled,  ///< unguarded: any that is still open
    fresh    ///< guarded: idle for less than `Pool::fresh_limit`, else a new one
};

/// The right to one upstream connection, with or without a connection in it. Gives itself back when destroyed: a connection
/// that was not touched or is marked reusable goes back to the pool, any other is closed. Of one event loop.
class Slot {
public:
    Slot() = default;
    Slot(Slot&& other) noexcept;
    Slot& operator=(Slot&& other) noexcept;
    Slot(const Slot&) = delete;
    Slot& operator=(const Slot&) = delete;
    ~Slot() { give_back(); }

    [[nodiscard]] bool valid() const { return pool_ != nullptr; }
    [[nodiscard]] bool connected() const { return stream_ != nullptr; }
    /// Whether there is a connection to send on. One from the pool is looked at first: with input or an end on it, it is closed.
    [[nodiscard]] bool ready();
    /// The connection came from the pool: the peer may have closed it at this very moment.
    [[nodiscard]] bool was_idle() const { return was_idle_; }
    /// From the first access on the connection is taken for used: it goes back to the pool only after `mark_reusable`.
    [[nodiscard]] net::Stream& stream() {
        untouched_ = false;
        reusable_ = false;
        return *stream_;
    }

    /// Opens a new connection, closing one that is there. Tries each address of the upstream; `connect_timeout` covers the whole.
    Task<boost::system::error_code> connect();
    void disconnect() {
        stream_.reset();
        was_idle_ = false;
        untouched_ = false;
        reusable_ = false;
    }
    /// Says that the exchange ended cleanly and the connection may carry another.
    void mark_reusable() { reusable_ = true; }
    void give_back();

private:
    friend class Pool;
    explicit Slot(Pool& pool);
    Slot(Pool& pool, std::unique_ptr<net::Stream> stream, Deadline idle_since);

    Pool* pool_ = nullptr;
    std::unique_ptr<net::Stream> stream_;
    Deadline idle_since_{};
    bool was_idle_ = false;
    bool untouched_ = false;  ///< an idle connection that was not used goes back as it came
    bool reusable_ = false;
    std::uint32_t target_ = 0;  ///< what `Pool::target_` was as the connection was opened
};

/// The upstream connections of one event loop.
class Pool {
public:
    /// The service may close an idle connection at the very moment a request goes out on it, and then nobody knows whether it
    /// ran. Next to a local service a new connection costs microseconds, so that a quiet loop sends guarded requests only on one
    /// that has just been used; a busy one uses what the spec allows.
    static constexpr microseconds fresh_limit{500};
    static constexpr microseconds busy_fresh_limit{1'000'000};
    static constexpr std::size_t busy_count = 4;  ///< slots in use

    Pool(asio::io_context& loop, net::Deadlines& deadlines, const config::Upstream& options, Permits& permits);
    Pool(const Pool&) = delete;
    Pool& operator=(const Pool&) = delete;
    ~Pool();

    /// A slot at once, or an invalid one when all are taken or others wait.
    Slot try_acquire(Freshness freshness);
    /// Waits for a slot in turn, `queue_timeout` at most; invalid when none came free.
    Task<Slot> acquire(Freshness freshness);
    /// For what is asked from now on. With another address, or other rules of TLS, no connection by the old ones carries a
    /// further request. `tls` is what `options` say of it, and is there where they say https. It must have been given before the
    /// first connection.
    void set_options(const config::Upstream& options, crypto::TlsContextPtr tls = {});
    /// Closes idle connections and keeps none from now on.
    void drain();

private:
    friend class Slot;
    struct Waiter : boost::intrusive::list_base_hook<boost::intrusive::link_mode<boost::intrusive::auto_unlink>> {
        explicit Waiter(asio::io_context& loop) : event(loop) {}
        net::Event event;
    };
    struct Idle {
        std::unique_ptr<net::Stream> stream;
        Deadline since;
    };
    /// Closes idle connections in time.
    class Reaper final : public net::Timed {
    public:
        explicit Reaper(Pool& pool) : pool_(pool) {}

    private:
        void on_deadline() override { pool_.reap(); }
        Pool& pool_;
    };

    Slot take(Freshness freshness);
    [[nodiscard]] microseconds idle_limit(Freshness freshness) const;
    Task<boost::system::error_code> connect(std::unique_ptr<net::Stream>& stream);
    /// Where connections go, and what is spoken there. One that is being opened keeps the aim that it began with.
    struct Aim {
        config::Address address;
        std::string url;
        crypto::TlsContextPtr tls;  ///< none: plain HTTP
        std::string name;           ///< that the certificate must be for
        std::shared_ptr<crypto::TlsSessions> sessions;
    };
    static std::shared_ptr<const Aim> aim_of(const config::Upstream& options, crypto::TlsContextPtr tls);
    Task<boost::system::error_code> connect_to(net::Stream& stream, const asio::generic::stream_protocol::endpoint& endpoint,
                                               const Aim& aim);
    Task<boost::system::error_code> start_tls(net::Stream& stream, const Aim& aim);
    void warn_tls(const net::Stream& stream, const Aim& aim, const boost::system::error_code& ec);
    void put_back(std::unique_ptr<net::Stream> stream, Deadline idle_since);
    void close_permit();
    void wake_one();
    void reap();
    void give_up_idle();

    asio::io_context& loop_;
    net::Deadlines& deadlines_;
    config::Upstream options_;
    std::shared_ptr<const Aim> aim_;
    Deadline last_tls_warning_{};
    Permits& permits_;
    std::size_t loop_index_;
    std::vector<Idle> idle_;  ///< the longest idle first
    boost::intrusive::list<Waiter, boost::intrusive::constant_time_size<false>> waiters_;
    std::size_t waiting_ = 0;
    std::size_t in_use_ = 0;
    Reaper reaper_;
    std::uint32_t target_ = 0;  ///< counts the addresses, and rules of TLS, that were configured
    bool draining_ = false;
};

}  // namespace onceward::upstream
