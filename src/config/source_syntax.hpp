#pragma once

#include "config/syntax.hpp"
#include "onceward/config/options.hpp"

namespace onceward::config {

/// `header:Name`, `query:name`, `json:/pointer`, …
Syntax<Source> source();
/// Sources that are joined.
Syntax<SourceList> source_list();
/// Alternatives of `key.from`: sources, lists of sources that are joined, names of presets; or one preset's name.
Syntax<std::vector<SourceList>> key_sources();

/// `method`, `path`, `query`, `body` or `header:Name`.
Syntax<Part> part();
/// RFC 6901, not empty.
Syntax<std::string> json_pointer();
Syntax<std::string> header_name();

/// Whether it is a field of which `trusted_proxies` decides who may send it: `Forwarded`, `X-Forwarded-*`.
bool names_the_client(const Source& source);

}  // namespace onceward::config
