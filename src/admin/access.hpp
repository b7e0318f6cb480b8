#pragma once

#include "onceward/config/options.hpp"
#include "onceward/http/message.hpp"

#include <optional>
#include <string>
#include <string_view>

/// @file
/// Who may ask the admin listener anything. Pure.

namespace onceward::admin {

/// Why a request is taken for one that a web page of another site made a browser send; nothing when it is not.
///
/// A browser says where a request comes from: `Origin` must name the host that was asked, `Sec-Fetch-Site` must be `same-origin`
/// or `none`. On a loopback address `Host` must be a loopback host as well: a name that a page has let point to 127.0.0.1 (DNS
/// rebinding) is none.
std::optional<std::string> cross_site_complaint(const http::RequestHead& head, const config::Address& address);

/// Why content of this type is not taken; nothing when it is. JSON only: a form of another site can't send that without being
/// asked first, and there is no answer to such a question.
std::optional<std::string> content_type_complaint(const http::RequestHead& head);

}  // namespace onceward::admin
