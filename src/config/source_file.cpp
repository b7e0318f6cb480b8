#include "config/source_file.hpp"

#include "onceward/base/file.hpp"
#include "onceward/crypto/sha256.hpp"

namespace onceward::config {

namespace {

/// Of a file that is larger a change is not seen.
constexpr std::size_t bytes_max = 64 * 1024 * 1024;

}  // namespace

SourceFile as_it_is(const std::string& path) {
    const auto content = base::read_regular_file(path, bytes_max);
    const auto* text = std::get_if<std::string>(&content);
    return {path, text == nullptr ? Digest{} : crypto::sha256(*text)};
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
