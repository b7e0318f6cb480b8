#include "crypto/openssl_text.hpp"

#include <openssl/err.h>

namespace onceward::crypto {

std::string openssl_failure() {
    std::string text;
    // The first is the cause, the others are where it passed by.
    const auto code = ERR_get_error();
    if (const char* reason = ERR_reason_error_string(code)) {
        text = reason;
    }
    ERR_clear_error();
    return text.empty() ? "an error that has no name" : text;
}

}  // namespace onceward::crypto
