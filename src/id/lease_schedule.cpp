#include "id/lease_schedule.hpp"

#include <algorithm>
#include <utility>

namespace onceward::id {
namespace {

constexpr milliseconds first_retry{100};

}  // namespace

LeaseSchedule::LeaseSchedule(std::optional<std::uint32_t> configured)
    : configured_(configured ? static_cast<int>(*configured) : -1), next_retry_(first_retry) {}

int LeaseSchedule::wanted() const {
    return configured_ >= 0 ? configured_ : held_;
}

LeaseSchedule::Step LeaseSchedule::on_lease(const store::WorkerLease& given) {
    next_retry_ = first_retry;
    const bool same = given.worker_id == held_;
    held_ = given.worker_id;
    const auto news = change_mood(Mood::fine, News::renewed);
    return {renew_every, same ? news : News::acquired};
}

LeaseSchedule::Step LeaseSchedule::on_failure(const boost::system::error_code& error) {
    const auto wait = next_retry_;
    next_retry_ = std::min<milliseconds>(2 * next_retry_, renew_every);
    if (error != store::make_error_code(store::StoreErrc::rejected)) {
        return {wait, change_mood(Mood::failing, News::failing)};
    }
    if (configured_ < 0 && held_ >= 0) {
        // Renewed too late. What was confirmed stays usable: the new holder starts behind it.
        held_ = -1;
        next_retry_ = first_retry;
        return {first_retry, News::given_away};
    }
    held_ = -1;
    return {wait, change_mood(Mood::taken, News::taken)};
}

LeaseSchedule::News LeaseSchedule::change_mood(Mood mood, News news) {
    return std::exchange(mood_, mood) == mood ? News::none : news;
}

}  // namespace onceward::id
