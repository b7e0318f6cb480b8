#include "cli/operation_id.hpp"

#include "admin/record_json.hpp"
#include "onceward/id/snowflake.hpp"

#include <nlohmann/json.hpp>

namespace onceward::cli {

std::string operation_id_text(std::int64_t number, Output output) {
    const auto parts = id::decode(OperationId{number});
    const auto time = admin::time_text(parts.time);
    if (output == Output::json) {
        const nlohmann::ordered_json content{
            {"id", std::to_string(number)}, {"time", time}, {"worker", parts.worker}, {"sequence", parts.sequence}};
        return content.dump() + "\n";
    }
    return "time      " + time + "\nworker    " + std::to_string(parts.worker) + "\nsequence  " + std::to_string(parts.sequence) +
           "\n";
}

}  // namespace onceward::cli
