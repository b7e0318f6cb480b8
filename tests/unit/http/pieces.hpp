#pragma once

#include "onceward/http/message_parser.hpp"

#include <string>
#include <string_view>
#include <vector>

/// Feeding parsers in pieces: whatever the cuts, the outcome must be the same.
namespace onceward::http::test {

template <typename Head>
struct ParsedHead {
    HeadResult result;
    Head head;
};

/// The buffer grows to each of `sizes` in turn, until the parser has seen enough.
template <typename Head, typename Parser>
ParsedHead<Head> parse_growing(Parser& parser, std::string_view text, const std::vector<std::size_t>& sizes) {
    ParsedHead<Head> parsed;
    for (const std::size_t size : sizes) {
        // A copy of exactly these bytes: a look behind them is caught by the sanitizers, and the buffer moves from call to call.
        const std::string buffer(text.substr(0, size));
        parsed.result = parser.parse_head(buffer, parsed.head);
        if (parsed.result.state != ParseState::need_more) {
            break;
        }
    }
    return parsed;
}

/// Whole, cut in two at every place, and byte by byte.
inline std::vector<std::vector<std::size_t>> all_cuts(std::size_t size) {
    std::vector<std::vector<std::size_t>> cuts{{size}};
    std::vector<std::size_t> bytes;
    for (std::size_t at = 0; at < size; ++at) {
        cuts.push_back({at, size});
        bytes.push_back(at + 1);
    }
    cuts.push_back(bytes);
    return cuts;
}

inline std::string text_of(const HeaderList& headers) {
    std::string text;
    headers.for_each(
        [&](std::string_view name, std::string_view value) { text.append(name).append("=").append(value).append("|"); });
    return text;
}

}  // namespace onceward::http::test
