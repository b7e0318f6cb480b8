#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace onceward::fuzz {

/// One thing that a peer of the proxy does, or time that passes. In the input a step is a byte 0x1E, a letter, and what belongs
/// to it up to the next 0x1E. Two clients, A and B, each on a new connection where the last was ended; the service answers on the
/// connection that came last, or on the oldest that is open.
///
///     c C   client A, B sends        h H   ends its side        x X   closes        r R   resets
///     p P   client A, B reads no more; again: reads on
///     u o   the service sends on the newest, the oldest connection
///     w W   ends its side            k K   closes               q Q   reads no more on it; again: closes it, which resets
///     t     milliseconds that pass
///
/// Letters that mean nothing are skipped.
struct Step {
    char letter = 0;
    std::string_view text;
};

inline constexpr char step_mark = '\x1e';
inline constexpr std::string_view step_letters = "cChHxXrRpPuowWkKqQt";
inline constexpr std::size_t steps_max = 48;

/// Views into `input`.
std::vector<Step> read_script(std::string_view input);
std::string write_script(const std::vector<Step>& steps);

}  // namespace onceward::fuzz
