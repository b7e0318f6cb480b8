#include "catch.hpp"
#include "store_process.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <fstream>

using namespace onceward;
using namespace onceward::test;

namespace {

store::SqliteOptions at(const std::string& path) {
    store::SqliteOptions options;
    options.path = path;
    return options;
}

/// What is said of the file, or nothing when it opens.
std::string refusal(const std::string& path) {
    try {
        StoreProcess process{at(path)};
    } catch (const std::runtime_error& error) {
        return error.what();
    }
    return {};
}

bool says(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("a file with a newer schema is refused and left as it is") {
    const TemporaryFolder folder;
    const auto path = folder.file("records.db");
    {
        PlainConnection plain{path};
        plain.execute("CREATE TABLE onceward (id BLOB); PRAGMA user_version = 9");
    }
    const auto text = refusal(path);
    CHECK(says(text, path));
    CHECK(says(text, "schema version 9"));
    PlainConnection plain{path};
    CHECK(plain.number("PRAGMA user_version") == 9);
    CHECK(plain.number("SELECT count(*) FROM sqlite_schema") == 1);
}

TEST_CASE("a table of that name that is not ours is refused") {
    const TemporaryFolder folder;
    const auto path = folder.file("records.db");
    {
        PlainConnection plain{path};
        plain.execute("CREATE TABLE onceward (name TEXT)");
    }
    CHECK(says(refusal(path), path));
}

TEST_CASE("a file that is no database is refused") {
    const TemporaryFolder folder;
    const auto path = folder.file("records.db");
    std::ofstream{path} << std::string(4'096, 'x');
    CHECK(says(refusal(path), "not a database"));
}

TEST_CASE("a folder that is not there is named") {
    const TemporaryFolder folder;
    const auto text = refusal(folder.file("missing/records.db"));
    CHECK(says(text, "missing/records.db"));
    CHECK(says(text, "unable to open"));
}

TEST_CASE("a folder that can't be written to is refused") {
    const TemporaryFolder folder;
    ::chmod(folder.path().c_str(), 0555);
    ChildProcess child([&](int) {
        // Root may write anywhere.
        if (::geteuid() == 0 && ::setuid(65534) != 0) {
            return 2;
        }
        return says(refusal(folder.file("records.db")), "unable to open") ? 0 : 1;
    });
    CHECK(child.wait_for_exit() == 0);
    ::chmod(folder.path().c_str(), 0755);
}

TEST_CASE("a file that can't be written to is refused") {
    const TemporaryFolder folder;
    const auto path = folder.file("records.db");
    { const StoreProcess process{at(path)}; }
    ::chmod(path.c_str(), 0444);
    ::chmod(folder.path().c_str(), 0777);
    ChildProcess child([&](int) {
        if (::geteuid() == 0 && ::setuid(65534) != 0) {
            return 2;
        }
        return says(refusal(path), "read") ? 0 : 1;
    });
    CHECK(child.wait_for_exit() == 0);
}

TEST_CASE("a file in memory is warned of") {
    if (!std::filesystem::exists("/dev/shm")) {
        return;
    }
    const auto path = "/dev/shm/onceward-test-" + std::to_string(::getpid()) + ".db";
    {
        StoreProcess process{at(path)};
        const auto warnings = process.backend().warnings();
        REQUIRE(warnings.size() == 1);
        CHECK(says(warnings[0], path));
        CHECK(says(warnings[0], "tmpfs"));
    }
    for (const auto* suffix : {"", "-wal", "-shm"}) {
        std::filesystem::remove(path + suffix);
    }
}
