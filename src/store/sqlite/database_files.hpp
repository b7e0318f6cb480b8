#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace onceward::store::sqlite {

/// The files behind an open database: the database itself under its configured path, and its WAL and shared memory.
/// If another file stands in one of their places, this process and the next to open the path would not see each other's claims.
class DatabaseFiles {
public:
    /// `resolved` is `path` without symbolic links. Remembers what is there now; throws std::runtime_error when one is missing.
    DatabaseFiles(const std::string& path, const std::string& resolved);

    /// Whether each is still the file that was opened.
    [[nodiscard]] bool unchanged() const;

private:
    struct File {
        std::string path;
        std::uint64_t device = 0;
        std::uint64_t inode = 0;
    };
    std::array<File, 3> files_;
};

/// What about the file system below `path` may break the promise.
std::vector<std::string> file_system_warnings(const std::string& path);

}  // namespace onceward::store::sqlite
