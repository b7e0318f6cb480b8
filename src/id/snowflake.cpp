#include "onceward/id/snowflake.hpp"

#include "onceward/base/assert.hpp"

#include <algorithm>

namespace onceward::id {
namespace {

constexpr unsigned sequence_bits = 12;
constexpr unsigned worker_bits = 10;
constexpr std::int64_t last_ms_of_all = (std::int64_t{1} << 41) - 1;

/// The millisecond that `time` lies in.
std::int64_t floor_ms(StoreTime time) {
    return std::chrono::floor<milliseconds>(time - snowflake_epoch).count();
}
/// The first whole millisecond at or after `time`: the start of a grant belongs to it only from there on, for the holder before
/// may have used the millisecond that it lies in.
std::int64_t ceil_ms(StoreTime time) {
    return std::chrono::ceil<milliseconds>(time - snowflake_epoch).count();
}

}  // namespace

OperationId encode(const SnowflakeParts& parts) {
    const auto ms = floor_ms(parts.time);
    ONCEWARD_ASSERT(ms >= 0 && ms <= last_ms_of_all);
    ONCEWARD_ASSERT(parts.worker >= 0 && parts.worker < worker_count && parts.sequence < sequence_count);
    return OperationId{(ms << (worker_bits + sequence_bits)) | (std::int64_t{parts.worker} << sequence_bits) |
                       std::int64_t{parts.sequence}};
}

SnowflakeParts decode(OperationId id) {
    const auto sequence = static_cast<std::uint32_t>(id.value & (sequence_count - 1));
    const auto worker = static_cast<int>((id.value >> sequence_bits) & (worker_count - 1));
    return {snowflake_epoch + milliseconds{id.value >> (worker_bits + sequence_bits)}, worker, sequence};
}

SnowflakeGenerator::SnowflakeGenerator(SequenceShare share) : share_(share) {
    ONCEWARD_ASSERT(share.loops >= 1 && share.loops <= sequence_count && share.loop < share.loops);
}

void SnowflakeGenerator::grant(const WorkerGrant& grant) {
    ONCEWARD_ASSERT(grant.worker >= 0 && grant.worker < worker_count);
    const auto from = ceil_ms(grant.from);
    const auto until = floor_ms(grant.until);
    if (grant.worker == worker_ && from <= until_ms_ + 1) {
        // Joins what is confirmed already, or was overtaken by a later one: nothing in between was another's.
        until_ms_ = std::max(until_ms_, until);
        return;
    }
    from_ms_ = from;
    until_ms_ = until;
    worker_ = grant.worker;
}

NextId SnowflakeGenerator::next(StoreTime now) {
    if (worker_ < 0) {
        return IdRefusal::no_lease;
    }
    const auto ms = floor_ms(now);
    if (ms < 1 || ms > last_ms_of_all) {
        return IdRefusal::out_of_range;
    }
    const bool full = next_sequence_ >= sequence_count;
    const auto first = std::max(from_ms_, full ? last_ms_ + 1 : last_ms_);
    if (ms < first) {
        const auto wait = snowflake_epoch + milliseconds{first} - now;
        if (wait > patience) {
            return IdRefusal::clock_went_back;
        }
        return WaitFor{wait};
    }
    if (ms > until_ms_) {
        return IdRefusal::not_confirmed;
    }
    if (ms != last_ms_) {
        last_ms_ = ms;
        next_sequence_ = share_.loop;
    }
    const auto sequence = next_sequence_;
    next_sequence_ += share_.loops;
    return encode({snowflake_epoch + milliseconds{ms}, worker_, sequence});
}

}  // namespace onceward::id
