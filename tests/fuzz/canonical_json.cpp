#include "request/canonical_json.hpp"

#include "onceward/base/assert.hpp"

#include <cstdint>
#include <string>

using namespace onceward::request;

/// A canonical form is JSON, is its own canonical form, and stays so between white space.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    std::string once;
    if (!append_canonical_json(once, text, {})) {
        ONCEWARD_ASSERT(once.empty());
        return 0;
    }
    JsonDocument document;
    ONCEWARD_ASSERT(document.parse(once) == JsonDocument::Parsed::fine);
    for (const auto& spelling : {once, " " + once + "\r\n", "\t" + std::string(text)}) {
        std::string again;
        ONCEWARD_ASSERT(append_canonical_json(again, spelling, {}) && again == once);
    }
    return 0;
}
