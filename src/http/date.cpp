#include "onceward/http/date.hpp"

#include <array>

namespace onceward::http {

namespace {

constexpr std::array<std::string_view, 7> days{"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
constexpr std::array<std::string_view, 12> months{"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                  "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};

void append_two_digits(std::string& out, unsigned number) {
    out += static_cast<char>('0' + number / 10 % 10);
    out += static_cast<char>('0' + number % 10);
}

}  // namespace

void append_date(std::string& out, std::chrono::sys_seconds time) {
    const auto day = std::chrono::floor<std::chrono::days>(time);
    const std::chrono::year_month_day date(day);
    const std::chrono::hh_mm_ss clock(time - day);
    const auto year = static_cast<unsigned>(static_cast<int>(date.year()));
    out.append(days[std::chrono::weekday(day).c_encoding()]).append(", ");
    append_two_digits(out, static_cast<unsigned>(date.day()));
    out.append(" ").append(months[static_cast<unsigned>(date.month()) - 1]).append(" ");
    append_two_digits(out, year / 100);
    append_two_digits(out, year % 100);
    out.append(" ");
    append_two_digits(out, static_cast<unsigned>(clock.hours().count()));
    out.append(":");
    append_two_digits(out, static_cast<unsigned>(clock.minutes().count()));
    out.append(":");
    append_two_digits(out, static_cast<unsigned>(clock.seconds().count()));
    out.append(" GMT");
}

std::string_view DateCache::at(std::chrono::sys_seconds now) {
    if (now != time_ || text_.empty()) {
        time_ = now;
        text_.clear();
        append_date(text_, now);
    }
    return text_;
}

}  // namespace onceward::http
