#include "proxy/request_body.hpp"

#include "onceward/base/time.hpp"
#include "onceward/telemetry/log.hpp"

#include <algorithm>
#include <cerrno>
#include <system_error>

namespace onceward::proxy {

namespace {

/// What is written to the file, and read from it, at a time.
constexpr std::size_t step_bytes = 64 * 1024;
/// A buffer that grew beyond this is given back.
constexpr std::size_t kept_capacity = 64 * 1024;
constexpr std::uint64_t never = ~std::uint64_t{0};

/// Once a second at most from each loop.
void warn(int error) {
    using std::chrono::steady_clock;
    thread_local Deadline quiet_until{};
    const auto now = steady_clock::now();
    if (now >= quiet_until) {
        quiet_until = now + seconds{1};
        telemetry::warn("a large request body is kept in memory: it can't be written to a temporary file (TMPDIR, else /var/tmp)",
                        {{"error", std::string_view(std::generic_category().message(error))}});
    }
}

}  // namespace

void RequestBody::begin(std::uint64_t threshold, std::optional<std::uint64_t> announced) {
    clear();
    threshold_ = threshold;
    if (announced && *announced > threshold) {
        start_spool();
    }
}

void RequestBody::append(std::string_view piece) {
    size_ += piece.size();
    if (!spool_ && size_ > threshold_) {
        start_spool();
    }
    memory_.append(piece);
    if (spool_ && memory_.size() >= step_bytes) {
        flush();
    }
}

void RequestBody::finish() {
    if (spool_ && !memory_.empty()) {
        flush();
    }
    if (spool_) {
        digest_ = spool_->digest.finish();
    }
}

void RequestBody::clear() {
    if (memory_.capacity() > kept_capacity) {
        memory_ = std::string{};
    }
    memory_.clear();
    spool_.reset();
    size_ = 0;
    digest_.reset();
    lost_ = false;
}

void RequestBody::swap(RequestBody& other) noexcept {
    std::swap(*this, other);
}

void RequestBody::start_spool() {
    auto file = base::SpoolFile::open();
    if (!file) {
        stay_in_memory();
        return;
    }
    spool_ = std::make_unique<Spool>(Spool{std::move(*file), {}});
}

void RequestBody::flush() {
    spool_->digest.update(memory_);
    if (!spool_->file.append(memory_)) {
        stay_in_memory();
        return;
    }
    if (memory_.capacity() > 2 * step_bytes) {
        memory_ = std::string{};
    }
    memory_.clear();
}

/// With what is in the file already in front.
void RequestBody::stay_in_memory() {
    warn(errno);
    threshold_ = never;
    if (!spool_) {
        return;
    }
    std::string all(spool_->file.size(), '\0');
    lost_ = !spool_->file.read(0, all.data(), all.size());
    all += memory_;
    memory_ = std::move(all);
    spool_.reset();
}

std::optional<std::string_view> RequestBody::piece(std::uint64_t at) {
    if (lost_) {
        return std::nullopt;
    }
    if (!spool_) {
        return std::string_view(memory_).substr(at);
    }
    memory_.resize(std::min<std::uint64_t>(step_bytes, size_ - at));
    return spool_->file.read(at, memory_.data(), memory_.size()) ? std::optional<std::string_view>(memory_) : std::nullopt;
}

std::optional<std::string_view> RequestBody::whole(std::string& buffer) const {
    if (lost_) {
        return std::nullopt;
    }
    if (!spool_) {
        return memory_;
    }
    buffer.resize(size_);
    return spool_->file.read(0, buffer.data(), buffer.size()) ? std::optional<std::string_view>(buffer) : std::nullopt;
}

}  // namespace onceward::proxy
