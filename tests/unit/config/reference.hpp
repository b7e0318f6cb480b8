#pragma once

#include <string>

namespace onceward::config {

/// The tables of config/README.md: every key with type, default and meaning.
std::string key_tables();

/// config/onceward.full.yaml: every available key with its default and what it means.
std::string annotated_defaults();

}  // namespace onceward::config
