#pragma once

#include <boost/system/result.hpp>

namespace onceward {

using boost::system::error_code;

/// A value or an error code. Expected answers ("duplicate", "fenced", "absent") are values, never errors.
template <typename T>
using Result = boost::system::result<T>;

}  // namespace onceward
