#pragma once

#include "onceward/base/task.hpp"
#include "onceward/config/options.hpp"
#include "onceward/guard/command.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace onceward::admin {

enum class ReloadResult : std::uint8_t {
    applied,    ///< what could change has changed
    unchanged,  ///< nothing that the process goes by differs
    rejected    ///< the file has errors, or would change what remembered keys mean: the old configuration goes on, as a whole
};

/// What reading the configuration again has brought, in words. Names no value of a secret.
struct ReloadReport {
    ReloadResult result = ReloadResult::unchanged;
    std::vector<std::string> changed;        ///< keys whose new value holds now
    std::vector<std::string> needs_restart;  ///< keys that only a start reads
    std::vector<std::string> refused;        ///< why it can't be taken while the process runs, a sentence each
    std::vector<std::string> errors;         ///< `file:line:column: path: message`
    std::vector<std::string> warnings;
};

/// What the admin listener may ask of the process. Called on the admin server's loop.
class Control {
public:
    virtual ~Control() = default;
    /// The configuration in force. Valid until the caller waits.
    virtual const config::Options& running() = 0;
    /// Reads the configuration file again and puts it into force.
    virtual Task<ReloadReport> reload() = 0;
    /// A record was changed by an operator: what that did to the number of UNKNOWN ones, for metrics.
    virtual void count_unknown(guard::UnknownChange change) = 0;
};

}  // namespace onceward::admin
