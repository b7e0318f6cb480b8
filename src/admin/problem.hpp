#pragma once

#include "net/http_answer.hpp"

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <string_view>

namespace onceward::admin {

/// An error of the admin listener: problem+json (RFC 9457) with `code`, such as `FENCE_MISSING`, and a text for people.
net::HttpAnswer problem(int status, std::string_view code, std::string_view detail);

/// 400 `BAD_REQUEST` and 404 `NOT_FOUND`.
net::HttpAnswer bad_request(std::string_view detail);
net::HttpAnswer not_found(std::string_view detail);

/// An answer with this content.
net::HttpAnswer json_answer(const nlohmann::ordered_json& content);

/// Text of any bytes: what is not UTF-8 becomes U+FFFD.
std::string json_text(const nlohmann::ordered_json& content);

}  // namespace onceward::admin
