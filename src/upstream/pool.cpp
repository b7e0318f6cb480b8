#include "upstream/pool.hpp"

#include "onceward/base/assert.hpp"
#include "onceward/telemetry/log.hpp"

#include <boost/asio/ip/basic_resolver.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/local/stream_protocol.hpp>

#include <algorithm>
#include <utility>

namespace onceward::upstream {

using std::chrono::steady_clock;

namespace {
constexpr seconds tls_warning_interval{1};
}

Slot::Slot(Pool& pool) : pool_(&pool) {
    ++pool.in_use_;
}

Slot::Slot(Pool& pool, std::unique_ptr<net::Stream> stream, Deadline idle_since)
    : pool_(&pool),
      stream_(std::move(stream)),
      idle_since_(idle_since),
      was_idle_(true),
      untouched_(true),
      target_(pool.target_) {
    ++pool.in_use_;
}

Slot::Slot(Slot&& other) noexcept
    : pool_(std::exchange(other.pool_, nullptr)),
      stream_(std::move(other.stream_)),
      idle_since_(other.idle_since_),
      was_idle_(other.was_idle_),
      untouched_(other.untouched_),
      reusable_(other.reusable_),
      target_(other.target_) {}

Slot& Slot::operator=(Slot&& other) noexcept {
    if (this != &other) {
        give_back();
        pool_ = std::exchange(other.pool_, nullptr);
        stream_ = std::move(other.stream_);
        idle_since_ = other.idle_since_;
        was_idle_ = other.was_idle_;
        untouched_ = other.untouched_;
        reusable_ = other.reusable_;
        target_ = other.target_;
    }
    return *this;
}

bool Slot::ready() {
    if (untouched_ && (target_ != pool_->target_ || !stream_->is_quiet())) {
        disconnect();
    }
    return connected();
}

void Slot::give_back() {
    auto* pool = std::exchange(pool_, nullptr);
    if (pool == nullptr) {
        return;
    }
    --pool->in_use_;
    if (stream_ && (untouched_ || reusable_) && target_ == pool->target_) {
        pool->put_back(std::move(stream_), untouched_ ? idle_since_ : steady_clock::now());
    } else {
        stream_.reset();
        pool->close_permit();
    }
}

Task<boost::system::error_code> Slot::connect() {
    disconnect();
    target_ = pool_->target_;
    const auto ec = co_await pool_->connect(stream_);
    co_return ec;
}

Pool::Pool(asio::io_context& loop, net::Deadlines& deadlines, const config::Upstream& options, Permits& permits)
    : loop_(loop),
      deadlines_(deadlines),
      options_(options),
      aim_(aim_of(options, nullptr)),
      permits_(permits),
      loop_index_(permits.add_loop(
          loop, [this] { wake_one(); }, [this] { give_up_idle(); })),
      reaper_(*this) {}

Pool::~Pool() = default;

Slot Pool::try_acquire(Freshness freshness) {
    return waiting_ > 0 ? Slot{} : take(freshness);
}

microseconds Pool::idle_limit(Freshness freshness) const {
    const microseconds longest = options_.idle_timeout;
    if (freshness == Freshness::pooled) {
        return longest;
    }
    return std::min(longest, in_use_ >= busy_count ? busy_fresh_limit : fresh_limit);
}

Slot Pool::take(Freshness freshness) {
    if (!idle_.empty() && idle_.back().since > steady_clock::now() - idle_limit(freshness)) {
        auto [stream, since] = std::move(idle_.back());
        idle_.pop_back();
        return {*this, std::move(stream), since};
    }
    if (permits_.take()) {
        return Slot(*this);
    }
    if (!idle_.empty()) {
        idle_.erase(idle_.begin());  // too old to use, but its permit opens a new one
        return Slot(*this);
    }
    return {};
}

Task<Slot> Pool::acquire(Freshness freshness) {
    if (auto slot = try_acquire(freshness); slot.valid()) {
        co_return slot;
    }
    const auto deadline = steady_clock::now() + options_.queue_timeout;
    Waiter waiter(loop_);
    waiters_.push_back(waiter);
    permits_.set_waiting(loop_index_, ++waiting_);
    auto slot = take(freshness);  // one may have come free before this loop was seen to wait
    while (!slot.valid() && steady_clock::now() < deadline) {
        co_await waiter.event.wait_until(deadlines_, deadline);
        if (waiter.event.take()) {
            slot = take(freshness);
        }
    }
    permits_.set_waiting(loop_index_, --waiting_);
    co_return slot;
}

std::shared_ptr<const Pool::Aim> Pool::aim_of(const config::Upstream& options, crypto::TlsContextPtr tls) {
    auto aim = std::make_shared<Aim>();
    aim->address = options.address;
    aim->url = options.url;
    aim->tls = std::move(tls);
    aim->name = options.tls.server_name.empty() ? options.address.host : options.tls.server_name;
    aim->sessions = std::make_shared<crypto::TlsSessions>();
    return aim;
}

void Pool::set_options(const config::Upstream& options, crypto::TlsContextPtr tls) {
    const bool moved = options.address != options_.address || options.secure != options_.secure || options.tls != options_.tls;
    options_ = options;
    if (moved || (options.secure && aim_->tls == nullptr)) {
        aim_ = aim_of(options, std::move(tls));
        ++target_;
        give_up_idle();
    } else if (permits_.exceeded()) {
        give_up_idle();
    }
}

void Pool::drain() {
    draining_ = true;
    net::Deadlines::clear(reaper_);
    give_up_idle();
}

void Pool::put_back(std::unique_ptr<net::Stream> stream, Deadline idle_since) {
    if (draining_ || permits_.exceeded() || permits_.wanted_elsewhere(loop_index_)) {
        stream.reset();
        close_permit();
        return;
    }
    stream->never_expires();
    stream->shrink();
    auto place = idle_.end();
    while (place != idle_.begin() && std::prev(place)->since > idle_since) {
        --place;
    }
    idle_.insert(place, {std::move(stream), idle_since});
    if (!reaper_.is_linked()) {
        deadlines_.set(reaper_, options_.idle_timeout);
    }
    wake_one();
}

void Pool::close_permit() {
    permits_.give();
    wake_one();
}

void Pool::wake_one() {
    if (!waiters_.empty()) {
        // The woken one leaves the list, so that the next free slot wakes the next; it looks for itself and waits on if it came
        // too late.
        auto& waiter = waiters_.front();
        waiters_.pop_front();
        waiters_.push_back(waiter);
        waiter.event.set();
    }
}

void Pool::reap() {
    const auto now = steady_clock::now();
    const auto over = [&](const Idle& idle) { return now - idle.since >= options_.idle_timeout || !idle.stream->is_quiet(); };
    const auto kept = std::remove_if(idle_.begin(), idle_.end(), over);
    const auto closed = idle_.end() - kept;
    idle_.erase(kept, idle_.end());
    for (auto i = closed; i > 0; --i) {
        close_permit();
    }
    if (!idle_.empty()) {
        deadlines_.set(reaper_, idle_.front().since + options_.idle_timeout);
    }
}

void Pool::give_up_idle() {
    const auto count = idle_.size();
    idle_.clear();
    for (std::size_t i = 0; i < count; ++i) {
        close_permit();
    }
}

Task<boost::system::error_code> Pool::connect_to(net::Stream& stream, const asio::generic::stream_protocol::endpoint& endpoint,
                                                 const Aim& aim) {
    boost::system::error_code ec;
    stream.socket().close(ec);
    const auto [failed] = co_await stream.socket().async_connect(endpoint, net::use_task);
    if (failed) {
        co_return failed;
    }
    stream.configure();
    if (aim.tls) {
        ec = co_await start_tls(stream, aim);
    }
    co_return ec;
}

/// A service whose certificate is not what it should be is one that can't be reached: nothing of a request has gone there.
Task<boost::system::error_code> Pool::start_tls(net::Stream& stream, const Aim& aim) {
    stream.secure(std::make_unique<crypto::TlsEngine>(*aim.tls, aim.name, aim.sessions));
    const auto ec = co_await stream.handshake();
    if (ec) {
        warn_tls(stream, aim, ec);
        stream.drop_tls();
    }
    co_return ec;
}

void Pool::warn_tls(const net::Stream& stream, const Aim& aim, const boost::system::error_code& ec) {
    const auto now = steady_clock::now();
    if (now - last_tls_warning_ < tls_warning_interval) {
        return;
    }
    last_tls_warning_ = now;
    std::string why = ec.message();
    if (stream.timed_out()) {
        why = "not finished within connect_timeout";
    } else if (ec == net::TlsErrc::failed) {
        why = stream.tls()->failure();
    }
    telemetry::warn("the TLS handshake with the upstream failed: nothing was sent", {{"upstream", aim.url}, {"error", why}});
}

Task<boost::system::error_code> Pool::connect(std::unique_ptr<net::Stream>& out) {
    auto stream = std::make_unique<net::Stream>(net::Socket(loop_.get_executor()), deadlines_);
    const auto deadline = steady_clock::now() + options_.connect_timeout;
    boost::system::error_code ec = asio::error::host_not_found;
    stream->expires_at(deadline);
    const auto aim = aim_;  // another may be configured meanwhile
    const auto& address = aim->address;
    ONCEWARD_ASSERT(aim->tls || !options_.secure);
    const auto ip = asio::ip::make_address(address.host, ec);
    if (address.is_unix()) {
        ec = co_await connect_to(*stream, asio::local::stream_protocol::endpoint(address.unix_path), *aim);
    } else if (!ec) {
        ec = co_await connect_to(*stream, asio::ip::tcp::endpoint(ip, address.port), *aim);
    } else {
        asio::ip::basic_resolver<asio::ip::tcp, net::Executor> resolver(loop_.get_executor());
        const auto [failed, results] = co_await resolver.async_resolve(address.host, std::to_string(address.port), net::use_task);
        ec = failed;
        for (const auto& result : results) {
            if (steady_clock::now() >= deadline) {
                ec = asio::error::timed_out;
                break;
            }
            stream->expires_at(deadline);
            ec = co_await connect_to(*stream, result.endpoint(), *aim);
            if (!ec) {
                break;
            }
        }
    }
    stream->never_expires();
    if (!ec) {
        out = std::move(stream);
    }
    co_return ec;
}

}  // namespace onceward::upstream
