#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace onceward::base {

/// The words in a row, with `between` between each two.
inline std::string joined(const std::vector<std::string>& words, std::string_view between) {
    std::string out;
    for (const auto& word : words) {
        out.append(&word == &words.front() ? "" : between).append(word);
    }
    return out;
}

}  // namespace onceward::base
