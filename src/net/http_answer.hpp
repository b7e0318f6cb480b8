#pragma once

#include "onceward/http/forward.hpp"

#include <chrono>
#include <string>
#include <string_view>

namespace onceward::net {

/// What a request of one of Onceward's own listeners gets.
struct HttpAnswer {
    int status = 200;
    std::string_view content_type = "text/plain; charset=utf-8";  ///< a literal
    std::string body = {};
    std::string fields = {};  ///< further field lines, CRLF each
};

/// Appends the whole response, which no cache may keep. `method` is the request's: HEAD gets no content.
void append_answer(std::string& out, const HttpAnswer& answer, std::string_view method, http::ConnectionUse use,
                   std::chrono::sys_seconds now);

}  // namespace onceward::net
