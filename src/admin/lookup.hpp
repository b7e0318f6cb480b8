#pragma once

#include "onceward/base/tagged.hpp"
#include "onceward/config/options.hpp"

#include <string>
#include <variant>
#include <vector>

namespace onceward::admin {

/// What an operator knows of a record: a route and what the client sent.
struct KeySeen {
    std::vector<std::string> key;    ///< one, or all parts of a key that is joined
    std::vector<std::string> scope;  ///< see `find_id`
};

/// The id under which the route's record of that key is filed, or in words what is wrong. Pure.
///
/// A scope value is written in the order of the route's `scope`, or as `source=value` (`header:X-Tenant=acme`); a source without
/// a value is one that the request did not have. A key that comes from the `Idempotency-Key` header may stand between quotes, as
/// in the header.
std::variant<RecordId, std::string> find_id(const config::Route& route, const KeySeen& seen);

}  // namespace onceward::admin
