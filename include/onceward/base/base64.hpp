#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace onceward::base {

/// RFC 4648 section 4, with padding.
std::string to_base64(std::string_view bytes);
/// Nothing when it is anything else.
std::optional<std::string> from_base64(std::string_view text);
/// RFC 4648 section 5, without padding; nothing when it is anything else.
std::optional<std::string> from_base64url(std::string_view text);

}  // namespace onceward::base
