#include "config/keys.hpp"
#include "config/substitution.hpp"
#include "config/yaml_text.hpp"
#include "onceward/config/load.hpp"

namespace onceward::config {

std::string effective_yaml(const Options& options) {
    return yaml_text(write_keys(option_keys(), options));
}

}  // namespace onceward::config
