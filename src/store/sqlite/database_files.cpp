#include "store/sqlite/database_files.hpp"

#include <sys/stat.h>
#include <sys/vfs.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <string_view>

namespace onceward::store::sqlite {

namespace {

enum class Risk : std::uint8_t { volatile_memory, layer, network, user_space };

struct KnownFileSystem {
    std::uint32_t magic;  ///< f_type of statfs(2)
    std::string_view name;
    Risk risk;
};
constexpr KnownFileSystem known_file_systems[] = {
    {0x01021994, "tmpfs", Risk::volatile_memory},
    {0x858458f6, "ramfs", Risk::volatile_memory},
    {0x794c7630, "overlay", Risk::layer},
    {0x61756673, "aufs", Risk::layer},
    {0x00006969, "nfs", Risk::network},
    {0x0000517b, "smb", Risk::network},
    {0xfe534d42, "smb2", Risk::network},
    {0xff534d42, "cifs", Risk::network},
    {0x01021997, "9p", Risk::network},
    {0x00c36400, "ceph", Risk::network},
    {0x5346414f, "afs", Risk::network},
    {0x73757245, "coda", Risk::network},
    {0x0bd00bd0, "lustre", Risk::network},
    {0x7461636f, "ocfs2", Risk::network},
    {0x01161970, "gfs2", Risk::network},
    {0x47504653, "gpfs", Risk::network},
    {0x65735546, "fuse", Risk::user_space},
};

std::string_view consequence(Risk risk) {
    switch (risk) {
        case Risk::volatile_memory:
            return "the records are lost when the machine, or the container, stops";
        case Risk::layer:
            return "the records are lost when the container is replaced; put the file on a volume";
        case Risk::network:
            return "its locks and syncs can't be relied on, and two hosts must not share the file; use a local disk";
        case Risk::user_space:
            return "it may be a network file system, whose locks and syncs can't be relied on";
    }
    return {};
}

}  // namespace

DatabaseFiles::DatabaseFiles(const std::string& path, const std::string& resolved)
    : files_{File{path}, File{resolved + "-wal"}, File{resolved + "-shm"}} {
    for (auto& file : files_) {
        struct stat status {};
        if (::stat(file.path.c_str(), &status) != 0) {
            throw std::runtime_error("SQLite store " + file.path + ": cannot be examined: " + std::strerror(errno));
        }
        file.device = status.st_dev;
        file.inode = status.st_ino;
    }
}

bool DatabaseFiles::unchanged() const {
    for (const auto& file : files_) {
        struct stat status {};
        if (::stat(file.path.c_str(), &status) != 0 || status.st_dev != file.device || status.st_ino != file.inode) {
            return false;
        }
    }
    return true;
}

std::vector<std::string> file_system_warnings(const std::string& path) {
    struct statfs status {};
    if (::statfs(path.c_str(), &status) != 0) {
        return {path + ": the file system can't be examined: " + std::strerror(errno)};
    }
    const auto magic = static_cast<std::uint32_t>(status.f_type);
    for (const auto& known : known_file_systems) {
        if (known.magic == magic) {
            return {path + " is on a " + std::string{known.name} + " file system: " + std::string{consequence(known.risk)}};
        }
    }
    return {};
}

}  // namespace onceward::store::sqlite
