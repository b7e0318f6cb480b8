#include "config/source_file.hpp"

#include "onceward/crypto/sha256.hpp"

#include <filesystem>
#include <fstream>
#include <iterator>

namespace onceward::config {

SourceFile as_it_is(const std::string& path) {
    std::error_code error;
    std::ifstream file(path, std::ios::binary);
    if (!file || !std::filesystem::is_regular_file(path, error)) {
        return {path, {}};
    }
    const std::string content{std::istreambuf_iterator<char>(file), {}};
    return {path, crypto::sha256(content)};
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
