#include "store/sqlite/writer.hpp"

#include "onceward/telemetry/log.hpp"
#include "store/sqlite/loop_link.hpp"

#include <algorithm>

namespace onceward::store::sqlite {

namespace {

using std::chrono::steady_clock;

/// Between two purges of which the first left some over.
constexpr milliseconds purge_pause{20};
/// A purge waits for an idle moment, but not longer than this.
constexpr milliseconds purge_patience{100};
/// Between two looks at how many records there are.
constexpr milliseconds count_interval{1'000};

}  // namespace

Writer::Writer(const SqliteOptions& options, Inbox& inbox, const std::vector<std::unique_ptr<LoopLink>>& links)
    : inbox_(inbox),
      file_(options),
      host_time_(options.host_time),
      purge_interval_(options.purge_interval),
      purge_at_(steady_clock::now() + purge_interval_) {
    group_.reserve(group_max);
    for (const auto& link : links) {
        parcels_.push_back({link.get(), nullptr, nullptr, {}});
    }
    note_clock();
    note_records();
    thread_ = std::thread{[this] { run(); }};
}

Writer::~Writer() {
    stopping_.store(true, std::memory_order_release);
    inbox_.wake();
    thread_.join();
}

StoreTime Writer::now() const {
    return StoreTime{host_time_().boot + microseconds{clock_offset_.load(std::memory_order_relaxed)}};
}

SqliteCounts Writer::counts() const {
    return {commits_.load(std::memory_order_relaxed), operations_.load(std::memory_order_relaxed),
            purged_.load(std::memory_order_relaxed)};
}

RecordCounts Writer::record_counts() const {
    RecordCounts counts{};
    for (std::size_t state = 0; state < records_.size(); ++state) {
        counts[state] = records_[state].load(std::memory_order_relaxed);
    }
    return counts;
}

void Writer::run() {
    while (true) {
        auto* queued = inbox_.take();
        const bool idle = queued == nullptr;
        if (idle && stopping_.load(std::memory_order_acquire)) {
            return;
        }
        while (queued != nullptr) {
            group_.clear();
            while (queued != nullptr && group_.size() < group_max) {
                group_.push_back(queued);
                queued = queued->next;
            }
            run_group();
        }
        if (steady_clock::now() >= purge_at_ + (idle ? milliseconds{0} : purge_patience)) {
            purge();
        } else if (idle) {
            inbox_.wait(until_purge());
        }
    }
}

void Writer::run_group() {
    const auto failure = file_.transact(group_);
    if (failure) {
        for (auto* operation : group_) {
            operation->error = failure;
            operation->settled = false;
        }
    } else {
        operations_.fetch_add(group_.size(), std::memory_order_relaxed);
        commits_.fetch_add(file_.wrote() ? 1 : 0, std::memory_order_relaxed);
    }
    note_clock();
    deliver();
    note_health(failure);
    if (steady_clock::now() >= count_at_) {
        note_records();
    }
}

void Writer::deliver() {
    for (auto* operation : group_) {
        if (operation->settled) {
            for (auto& parcel : parcels_) {
                if (parcel.link->watches()) {
                    parcel.changed.push_back(operation->settled_id());
                }
            }
        }
        auto& parcel = parcel_for(operation->home);
        (parcel.first == nullptr ? parcel.first : parcel.last->next) = operation;
        parcel.last = operation;
        operation->next = nullptr;
    }
    for (auto& parcel : parcels_) {
        if (parcel.first != nullptr || !parcel.changed.empty()) {
            parcel.link->deliver(std::exchange(parcel.first, nullptr), std::exchange(parcel.changed, {}));
        }
    }
}

Writer::Parcel& Writer::parcel_for(const LoopLink& link) {
    return *std::find_if(parcels_.begin(), parcels_.end(), [&](const Parcel& parcel) { return parcel.link == &link; });
}

void Writer::purge() {
    const auto purged = file_.purge();
    purged_.fetch_add(static_cast<std::uint64_t>(purged), std::memory_order_relaxed);
    purge_at_ = steady_clock::now() + (StoreFile::is_full_purge(purged) ? purge_pause : purge_interval_);
    note_clock();
}

milliseconds Writer::until_purge() const {
    return std::max(std::chrono::ceil<milliseconds>(purge_at_ - steady_clock::now()), milliseconds{0});
}

void Writer::note_clock() {
    clock_offset_.store(file_.clock().offset().count(), std::memory_order_relaxed);
    const auto ahead = file_.clock().wall_ahead();
    const bool set = ahead > SteeredClock::far || ahead < -SteeredClock::far;
    if (set && !clock_set_) {
        telemetry::warn("wall_clock_set", {{"ahead_ms", std::chrono::duration_cast<milliseconds>(ahead).count()},
                                           {"detail", "leases and retention go on by the time that really passes"}});
    }
    clock_set_ = set;
}

/// Called behind the answers: nobody waits for it. What can't be read stays as it was: the file is reported elsewhere.
void Writer::note_records() {
    count_at_ = steady_clock::now() + count_interval;
    if (const auto counts = file_.count()) {
        for (std::size_t state = 0; state < records_.size(); ++state) {
            records_[state].store((*counts)[state], std::memory_order_relaxed);
        }
    }
}

void Writer::note_health(const boost::system::error_code& failure) {
    if (failure && !failing_) {
        telemetry::error("store_failing", {{"store", "sqlite"}, {"reason", file_.trouble()}});
    } else if (!failure && failing_) {
        telemetry::info("store_recovered", {{"store", "sqlite"}});
    }
    failing_ = static_cast<bool>(failure);
}

}  // namespace onceward::store::sqlite
