#pragma once

#include "telemetry/metric_text.hpp"

namespace onceward::telemetry {

/// The process's own numbers under the names that every Prometheus client library uses. What `/proc` does not tell is left out.
void append_process_metrics(MetricText& text);

}  // namespace onceward::telemetry
