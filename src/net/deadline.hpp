#pragma once

#include "onceward/base/clock.hpp"

#include <boost/asio/basic_waitable_timer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/intrusive/list.hpp>

namespace onceward::net {

/// Something that a time limit may hit. Setting a limit writes one field: no timer is armed per operation, a coarse sweep finds
/// what is over (within `Deadlines::granularity`). Leaves the sweep when destroyed.
class Timed : public boost::intrusive::list_base_hook<boost::intrusive::link_mode<boost::intrusive::auto_unlink>> {
public:
    Timed() = default;
    Timed(const Timed&) = delete;
    Timed& operator=(const Timed&) = delete;
    virtual ~Timed() = default;

    [[nodiscard]] Deadline deadline() const { return deadline_; }

protected:
    /// Called once per limit, from the sweep; the limit is cleared before.
    virtual void on_deadline() = 0;

private:
    friend class Deadlines;
    static constexpr Deadline never = Deadline::max();
    Deadline deadline_ = never;
};

/// The time limits of one event loop.
class Deadlines {
public:
    static constexpr milliseconds granularity{20};
    /// Limits are looked through at least this often, so that those that were moved away do not keep the timer busy.
    static constexpr milliseconds longest_sleep{1000};

    explicit Deadlines(boost::asio::io_context& loop) : timer_(loop) {}
    Deadlines(const Deadlines&) = delete;
    Deadlines& operator=(const Deadlines&) = delete;

    /// Replaces the limit of `timed`.
    void set(Timed& timed, Deadline deadline);
    void set(Timed& timed, milliseconds limit) { set(timed, from_now(limit)); }
    /// The end of a time limit that begins now. For limits that nothing rests on: it may come `base::coarse_lag` late.
    static Deadline from_now(milliseconds limit) { return base::coarse_now() + base::coarse_lag + limit; }
    static void clear(Timed& timed) { timed.deadline_ = Timed::never; }
    /// Ends the sweep for good, so that the loop can run out of work.
    void stop();

private:
    void arm(Deadline at);
    void sweep();

    using Timer =
        boost::asio::basic_waitable_timer<std::chrono::steady_clock, boost::asio::wait_traits<std::chrono::steady_clock>,
                                          boost::asio::io_context::executor_type>;
    using List = boost::intrusive::list<Timed, boost::intrusive::constant_time_size<false>>;

    Timer timer_;
    List list_;
    Deadline armed_for_ = Deadline::max();  ///< max: not armed
    bool stopped_ = false;
};

}  // namespace onceward::net
