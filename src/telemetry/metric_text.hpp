#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

namespace onceward::telemetry {

enum class MetricType : std::uint8_t { counter, gauge, histogram };

/// Writes the Prometheus text format, version 0.0.4: a family's head, then its samples.
class MetricText {
public:
    using Labels = std::initializer_list<std::pair<std::string_view, std::string_view>>;

    /// `help` is one line of plain text.
    void family(std::string_view name, MetricType type, std::string_view help);
    /// Samples of the latest family; `suffix` is `_bucket`, `_sum`, `_count` or empty.
    void sample(Labels labels, std::uint64_t value) { sample({}, labels, value); }
    void sample(Labels labels, std::int64_t value) { sample({}, labels, value); }
    void sample(Labels labels, double value) { sample({}, labels, value); }
    template <typename Number>
    void sample(std::string_view suffix, Labels labels, Number value) {
        begin_sample(suffix, labels);
        append_value(value);
    }

    [[nodiscard]] std::string take() { return std::move(out_); }

private:
    void begin_sample(std::string_view suffix, Labels labels);
    void append_value(std::uint64_t value);
    void append_value(std::int64_t value);
    void append_value(double value);

    std::string out_;
    std::string name_;
};

}  // namespace onceward::telemetry
