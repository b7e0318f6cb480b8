#pragma once

#include "net/http_server.hpp"
#include "onceward/health/server.hpp"
#include "onceward/http/message.hpp"

#include <string_view>

namespace onceward::health {

/// Whether the health listener has this page.
bool is_page(std::string_view path);

/// What a request of the health listener gets.
net::HttpAnswer answer(const http::RequestHead& request, HealthSource& source);
/// To a request that can't be read; the connection then ends.
net::HttpAnswer answer(net::HttpRefusal refusal);

}  // namespace onceward::health
