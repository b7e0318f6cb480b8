#include "onceward/base/ascii.hpp"
#include "onceward/base/assert.hpp"
#include "onceward/request/identify.hpp"

#include <algorithm>
#include <cstdint>
#include <string>

using onceward::request::parse_key;

/// A key that is taken is printable, 1 to 255 bytes long, and its quoted spelling names the same key.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const auto key = parse_key(text);
    if (!key) {
        return 0;
    }
    ONCEWARD_ASSERT(!key->empty() && key->size() <= 255);
    ONCEWARD_ASSERT(std::all_of(key->begin(), key->end(), [](char c) { return c >= 0x20 && c <= 0x7e; }));
    std::string quoted = "\"";
    for (const char c : *key) {
        quoted.append(c == '"' || c == '\\' ? "\\" : "").push_back(c);
    }
    ONCEWARD_ASSERT(parse_key(quoted + "\"") == key);
    const auto trimmed = onceward::base::trim(text);
    ONCEWARD_ASSERT(trimmed.front() == '"' || trimmed == *key);
    return 0;
}
