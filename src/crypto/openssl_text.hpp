#pragma once

#include <string>

namespace onceward::crypto {

/// What OpenSSL says about the call that failed last on this thread; empties its list of errors.
std::string openssl_failure();

}  // namespace onceward::crypto
