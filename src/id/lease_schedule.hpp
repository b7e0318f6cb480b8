#pragma once

#include "onceward/id/snowflake.hpp"
#include "onceward/store/store.hpp"

#include <optional>

namespace onceward::id {

/// When to ask the store for a worker id, and for which one: the decisions of `WorkerLeaseKeeper`, without its waiting.
class LeaseSchedule {
public:
    /// `configured` insists on one worker id; else any free one will do.
    explicit LeaseSchedule(std::optional<std::uint32_t> configured);

    /// What is worth a line of the log.
    enum class News : std::uint8_t {
        none,
        acquired,   ///< a worker id, for the first time or another than before
        renewed,    ///< the store answers again
        failing,    ///< the store does not answer; told once
        taken,      ///< the configured worker id is another process's; told once
        given_away  ///< the id that was held went to another process; the next request takes any
    };
    struct Step {
        milliseconds wait;  ///< until the next request, counted from when the latest was sent
        News news = News::none;
    };

    /// The worker id to ask for: the configured one, else the one held, else -1 for any.
    [[nodiscard]] int wanted() const;
    [[nodiscard]] bool holds() const { return held_ >= 0; }
    Step on_lease(const store::WorkerLease& given);
    Step on_failure(const boost::system::error_code& error);

    /// As the store port proposes; the horizon outlives two renewals that fail.
    static constexpr milliseconds horizon{3'000};
    static constexpr milliseconds lease{15'000};
    static constexpr milliseconds renew_every = horizon / 3;

private:
    enum class Mood : std::uint8_t { fine, failing, taken };

    News change_mood(Mood mood, News news);

    int configured_;
    int held_ = -1;
    Mood mood_ = Mood::fine;
    milliseconds next_retry_;
};

}  // namespace onceward::id
