#include "onceward/config/load.hpp"

#include <cstdint>
#include <cstdlib>
#include <string>

using namespace onceward;

// Any bytes give options or errors, each with its place; what loads comes back from its effective configuration.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const auto loaded = config::load_text(std::string(data, data + size), "/etc/onceward/fuzz.yaml");
    if (!loaded.ok()) {
        return 0;
    }
    const auto text = config::effective_yaml(loaded.options);
    const auto again = config::load_text(text, "/etc/onceward/fuzz.yaml");
    if (!again.ok() || config::effective_yaml(again.options) != text) {
        std::abort();
    }
    return 0;
}
