#include "config/source_file.hpp"

#include "onceward/crypto/sha256.hpp"

#include <utility>

namespace onceward::config {

SourceFile as_it_is(const std::string& path) {
    return read_source(path, source_bytes_max).source;
}

SourceText read_source(const std::string& path, std::size_t bytes_max) {
    auto content = base::read_regular_file(path, source_bytes_max);
    SourceText out{{path, {}}, base::FileFailure::too_large};
    if (auto* text = std::get_if<std::string>(&content)) {
        out.source.content = crypto::sha256(*text);
        if (text->size() <= bytes_max) {
            out.text = std::move(*text);
        }
    } else {
        out.text = std::get<base::FileFailure>(content);
    }
    return out;
}

std::vector<SourceFile> as_they_are(const std::vector<SourceFile>& files) {
    std::vector<SourceFile> out;
    out.reserve(files.size());
    for (const auto& file : files) {
        out.push_back(as_it_is(file.path));
    }
    return out;
}

}  // namespace onceward::config
