#include "onceward/telemetry/access_log.hpp"

#include "onceward/base/clock.hpp"
#include "onceward/telemetry/metrics.hpp"
#include "telemetry/access_line.hpp"
#include "telemetry/line_ring.hpp"
#include "telemetry/line_writer.hpp"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <thread>
#include <utility>

namespace onceward::telemetry {
namespace {

constexpr std::size_t batch_bytes = 64 * 1024;
static_assert(access_line_max < batch_bytes);

/// Lines are collected this long before they are written, so that a busy loop wakes the writer fifty times a second and not once
/// a request.
constexpr milliseconds collect_for{20};
/// How long a standard output that takes nothing may hold up the end of the process.
constexpr milliseconds patience_at_end{1000};

class SilentRing final : public AccessRing {
public:
    void write(const AccessEntry&) override {}
};

/// Wakes the writer, at a cost only when it waits. `asleep` waits for any line, `collecting` for a ring that fills up.
class WriterSignal {
public:
    enum class State : std::uint8_t { writing, collecting, asleep };

    WriterSignal() : event_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
        if (event_ < 0) {
            throw std::system_error(errno, std::generic_category(), "eventfd");
        }
    }
    ~WriterSignal() { ::close(event_); }
    WriterSignal(const WriterSignal&) = delete;
    WriterSignal& operator=(const WriterSignal&) = delete;

    void line_added(const LineRing& ring) {
        auto state = state_.load();
        if (state == State::writing || (state == State::collecting && ring.used() < ring.capacity() / 2)) {
            return;
        }
        if (state_.compare_exchange_strong(state, State::writing)) {
            wake();
        }
    }
    void wake() {
        const std::uint64_t one = 1;
        [[maybe_unused]] const auto n = ::write(event_, &one, sizeof one);
    }

    void enter(State state) { state_.store(state); }
    void wait(int timeout_ms) {
        pollfd poll_event{event_, POLLIN, 0};
        ::poll(&poll_event, 1, timeout_ms);
        std::uint64_t count = 0;
        [[maybe_unused]] const auto n = ::read(event_, &count, sizeof count);
    }

private:
    int event_;
    std::atomic<State> state_{State::writing};
};

class QueueingRing final : public AccessRing {
public:
    QueueingRing(WriterSignal& signal, std::size_t bytes) : lines(bytes), signal_(signal) { line_.reserve(access_line_max); }

    void write(const AccessEntry& entry) override {
        line_.clear();
        append_access_line(line_, entry, base::wall_clock());
        if (lines.push(line_)) {
            signal_.line_added(lines);
        } else {
            dropped.add();
        }
    }

    LineRing lines;
    Counter dropped;
    QueueingRing* next = nullptr;  // set before the ring is published, never changed after

private:
    WriterSignal& signal_;
    std::string line_;
};

}  // namespace

struct AccessLog::Impl {
    explicit Impl(const AccessLogOptions& options)
        : ring_bytes(options.ring_bytes), output(options.descriptor), batch(std::make_unique_for_overwrite<char[]>(batch_bytes)) {
        if (options.enabled) {
            thread = std::thread(&Impl::run, this);
        }
    }
    ~Impl() {
        if (thread.joinable()) {
            output.give_up_after(patience_at_end);
            stopping = true;
            signal.wake();
            thread.join();
        }
        for (auto* ring = first.load(); ring != nullptr;) {
            delete std::exchange(ring, ring->next);
        }
    }
    Impl(const Impl&) = delete;
    Impl& operator=(const Impl&) = delete;

    void run();
    void write_all();
    void write_ring(LineRing& ring);
    [[nodiscard]] bool all_empty() const;

    std::size_t ring_bytes;
    SilentRing silent;
    WriterSignal signal;
    LineWriter output;
    std::unique_ptr<char[]> batch;
    std::atomic<QueueingRing*> first{nullptr};
    Counter lost;  // of the writer: lines that standard output did not take
    std::atomic<bool> stopping{false};
    std::thread thread;
};

void AccessLog::Impl::run() {
    block_signals();
    while (!stopping) {
        write_all();
        signal.enter(WriterSignal::State::asleep);
        if (all_empty() && !stopping) {
            signal.wait(-1);
        }
        signal.enter(WriterSignal::State::collecting);
        if (!stopping) {
            signal.wait(static_cast<int>(collect_for.count()));
        }
        signal.enter(WriterSignal::State::writing);
    }
    write_all();
}

void AccessLog::Impl::write_all() {
    for (auto* ring = first.load(); ring != nullptr; ring = ring->next) {
        write_ring(ring->lines);
    }
}

void AccessLog::Impl::write_ring(LineRing& ring) {
    // Bounded by what one ring holds, so that a busy loop does not keep the others' lines waiting.
    for (std::size_t written = 0; written < ring.capacity();) {
        const auto n = ring.pop(batch.get(), batch_bytes);
        if (n == 0) {
            return;
        }
        written += n;
        const auto rest = output.write({batch.get(), n});
        lost.add(static_cast<std::uint64_t>(std::count(rest.begin(), rest.end(), '\n')));
    }
}

bool AccessLog::Impl::all_empty() const {
    for (const auto* ring = first.load(); ring != nullptr; ring = ring->next) {
        if (ring->lines.used() != 0) {
            return false;
        }
    }
    return true;
}

AccessLog::AccessLog(bool enabled) : AccessLog(AccessLogOptions{.enabled = enabled}) {}
AccessLog::AccessLog(const AccessLogOptions& options) : impl_(std::make_unique<Impl>(options)) {}
AccessLog::~AccessLog() = default;

AccessRing& AccessLog::ring() {
    if (!impl_->thread.joinable()) {
        return impl_->silent;
    }
    auto ring = std::make_unique<QueueingRing>(impl_->signal, impl_->ring_bytes);
    ring->next = impl_->first.load();
    while (!impl_->first.compare_exchange_weak(ring->next, ring.get())) {
    }
    return *ring.release();
}

std::uint64_t AccessLog::dropped() const {
    auto sum = impl_->lost.value();
    for (const auto* ring = impl_->first.load(); ring != nullptr; ring = ring->next) {
        sum += ring->dropped.value();
    }
    return sum;
}

}  // namespace onceward::telemetry
