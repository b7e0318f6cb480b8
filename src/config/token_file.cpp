#include "onceward/config/token_file.hpp"

#include "config/text.hpp"
#include "onceward/base/ascii.hpp"
#include "onceward/base/file.hpp"

#include <algorithm>

namespace onceward::config {

namespace {

constexpr std::size_t bytes_max = 64 * 1024;

bool fits_a_header(std::string_view token) {
    return std::all_of(token.begin(), token.end(), [](char c) { return c > ' ' && c < '\x7f'; });
}

std::string_view line_of(std::string_view& text) {
    const auto end = std::min(text.find('\n'), text.size());
    auto line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (!line.empty() && line.back() == '\r') {
        line.remove_suffix(1);
    }
    return base::trim(line);
}

}  // namespace

std::variant<std::vector<std::string>, std::string> read_tokens(const std::string& path) {
    const auto text = base::read_regular_file(path, bytes_max);
    if (const auto* failure = std::get_if<base::FileFailure>(&text)) {
        return *failure == base::FileFailure::too_large
                   ? "the file " + shown(path) + " is larger than " + std::to_string(bytes_max) + " bytes"
                   : "the file " + shown(path) + " can't be read: expected one that holds a token a line";
    }
    std::vector<std::string> tokens;
    for (std::string_view rest = std::get<std::string>(text); !rest.empty();) {
        const auto token = line_of(rest);
        if (token.empty() || token.front() == '#') {
            continue;
        }
        if (!fits_a_header(token)) {
            return "the file " + shown(path) + " holds a token with a blank or a byte that is not printable ASCII";
        }
        tokens.emplace_back(token);
    }
    if (tokens.empty()) {
        return "the file " + shown(path) + " holds no token";
    }
    return tokens;
}

}  // namespace onceward::config
