#pragma once

#include "onceward/health/server.hpp"
#include "onceward/http/message.hpp"
#include "onceward/http/message_parser.hpp"

#include <chrono>

namespace onceward::health {

/// What a request of the health listener gets.
struct Answer {
    int status = 0;
    std::string_view content_type;
    std::string body;
};

Answer answer(const http::RequestHead& request, HealthSource& source);
/// To a head that is refused; the connection then ends.
Answer answer(http::HeadError error);
/// To a head that did not end in time; likewise.
Answer answer_too_slow();

enum class After : std::uint8_t { keep_alive, close };

/// Appends the whole response. `method` is the request's: HEAD gets no content.
void append_response(std::string& out, const Answer& answer, std::string_view method, After after, std::chrono::sys_seconds now);

}  // namespace onceward::health
