#pragma once

#include <string_view>

namespace onceward::http {

/// The reason phrase of a status (RFC 9110 section 15); empty for one that has none: a phrase means nothing to a machine.
std::string_view reason_phrase(int status);

}  // namespace onceward::http
