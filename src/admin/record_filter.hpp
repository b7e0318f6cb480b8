#pragma once

#include "onceward/store/record_query.hpp"

#include <string>
#include <string_view>
#include <variant>

namespace onceward::admin {

/// What `GET /records` asks for.
struct RecordFilter {
    store::RecordQuery query;
    std::string id_prefix;  ///< lower-case hexadecimal; empty: every id
};

/// `route`, `state`, `older_than`, `limit` (1 to 1000), `cursor` and `id`, the first digits of an id (4 at least, as the access
/// log shows them as `key_hash`). Otherwise what is wrong. Pure.
std::variant<RecordFilter, std::string> parse_filter(std::string_view query);

}  // namespace onceward::admin
