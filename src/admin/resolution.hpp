#pragma once

#include "onceward/config/options.hpp"
#include "onceward/guard/operator_command.hpp"

#include <nlohmann/json_fwd.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <variant>

/// @file
/// The content of `POST /records/{id}/release` and `/resolve`, understood. Pure.

namespace onceward::admin {

/// A JSON object; empty content is one without members. Otherwise what is wrong: a member that is not among `members`, or one
/// that stands there twice, also in an object inside.
std::variant<nlohmann::ordered_json, std::string> parse_object(std::string_view content,
                                                               std::initializer_list<std::string_view> members);

/// The fence that the operator saw: `?fence=` or the member `fence`, a number or its text. Otherwise what is wrong; empty when
/// neither is there.
std::variant<Fence, std::string> read_fence(const std::optional<std::string>& parameter, const nlohmann::ordered_json& content);

/// What `{"outcome": "failed"}` or `{"outcome": "completed", "status", "headers", "body"}` says. `headers` is an object (a value
/// may be a list) or a list of pairs; `body` is text, `body_base64` any bytes. Fields that belong to a connection, and those that
/// the route never records, are left out, as in a recorded answer. Otherwise what is wrong.
std::variant<guard::OperatorAction, std::string> read_resolution(const nlohmann::ordered_json& content,
                                                                 const config::Route& route);

}  // namespace onceward::admin
