#pragma once

#include <chrono>
#include <string>
#include <string_view>

namespace onceward::http {

/// Appends an IMF-fixdate (`Sun, 06 Nov 1994 08:49:37 GMT`, RFC 9110 section 5.6.7).
void append_date(std::string& out, std::chrono::sys_seconds time);

/// The value of Date, made anew once a second. One an event loop.
class DateCache {
public:
    /// Valid until the next call.
    std::string_view at(std::chrono::sys_seconds now);

private:
    std::chrono::sys_seconds time_{std::chrono::seconds{-1}};
    std::string text_;
};

}  // namespace onceward::http
