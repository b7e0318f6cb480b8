#include "onceward/base/file.hpp"

#include "catch.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

using namespace onceward::base;

namespace {

struct Folder {
    Folder() { std::filesystem::create_directory(path); }
    ~Folder() { std::filesystem::remove_all(path); }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;

    [[nodiscard]] std::string file(const std::string& content) const {
        const auto name = (path / "file").string();
        std::ofstream(name, std::ios::binary) << content;
        return name;
    }

    std::filesystem::path path = std::filesystem::temp_directory_path() / ("file_test." + std::to_string(::getpid()));
};

}  // namespace

TEST_CASE("a file is read whole, up to its bound") {
    const Folder folder;
    const std::string large(200'000, 'x');
    CHECK(std::get<std::string>(read_regular_file(folder.file(large), 200'000)) == large);
    CHECK(std::get<FileFailure>(read_regular_file(folder.file(large), 199'999)) == FileFailure::too_large);
    CHECK(std::get<std::string>(read_regular_file(folder.file(""), 0)).empty());
    CHECK(std::get<FileFailure>(read_regular_file(folder.file("a"), 0)) == FileFailure::too_large);
}

TEST_CASE("what is no regular file is refused at once") {
    const Folder folder;
    const auto pipe = (folder.path / "pipe").string();
    REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
    for (const auto& path : {pipe, folder.path.string(), std::string("/dev/zero"), (folder.path / "none").string()}) {
        CAPTURE(path);
        CHECK(std::get<FileFailure>(read_regular_file(path, 10)) == FileFailure::unreadable);
    }
}
