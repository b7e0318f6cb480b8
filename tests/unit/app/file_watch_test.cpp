#include "app/file_watch.hpp"

#include "catch.hpp"
#include "net/aside.hpp"
#include "net/deadline.hpp"
#include "temporary_folder.hpp"

#include <stdlib.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <stdexcept>

using namespace onceward;
using app::FilePlace;
using app::FileWatch;
using app::places_of;
namespace fs = std::filesystem;

namespace {

/// As the kubelet mounts it.
void publish(const test::TemporaryFolder& directory, const std::string& version) {
    fs::create_directory(directory.path() / version);
    directory.write(version + "/onceward.yaml", version);
    fs::create_symlink(version, directory.path() / "..data_tmp");
    fs::rename(directory.path() / "..data_tmp", directory.path() / "..data");
}

/// Runs a watch on a loop until it told of a change, or for a while.
struct Scene {
    boost::asio::io_context loop;
    net::Deadlines deadlines{loop};
    FileWatch watch{loop};
    int told = 0;

    explicit Scene(const std::string& path) {
        REQUIRE(watch.works());
        watch.set_places(places_of(path));
        net::spawn(loop, watch.run());
        net::spawn(loop, count());
        loop.poll();
    }
    ~Scene() {
        watch.stop();
        deadlines.stop();
        loop.restart();
        loop.poll();
    }
    Task<> count() {
        while (watch.works()) {
            co_await watch.changed().wait();
            watch.changed().take();
            ++told;
        }
    }
    bool tells() {
        const auto until = std::chrono::steady_clock::now() + seconds{5};
        for (const int before = told; told == before && std::chrono::steady_clock::now() < until;) {
            loop.restart();
            loop.run_one_for(milliseconds{20});
        }
        return std::exchange(told, 0) > 0;
    }
    bool is_silent() {
        loop.restart();
        loop.run_for(milliseconds{50});
        return told == 0;
    }
};

}  // namespace

TEST_CASE("a plain file has one place, and a link one more for each step") {
    const test::TemporaryFolder directory;
    directory.write("plain", "");
    CHECK(places_of(directory.file("plain")) == std::vector<FilePlace>{{directory.path().string(), "plain"}});
    CHECK(places_of(directory.file("absent")) == std::vector<FilePlace>{{directory.path().string(), "absent"}});
    publish(directory, "..one");
    fs::create_symlink("..data/onceward.yaml", directory.path() / "onceward.yaml");
    CHECK(places_of(directory.file("onceward.yaml")) == std::vector<FilePlace>{{directory.path().string(), "onceward.yaml"},
                                                                               {directory.path().string(), "..data"},
                                                                               {directory.file("..one"), "onceward.yaml"}});
}

TEST_CASE("links that lead in a circle have an end") {
    const test::TemporaryFolder directory;
    fs::create_symlink("b", directory.path() / "a");
    fs::create_symlink("a", directory.path() / "b");
    CHECK(places_of(directory.file("a")).size() == 2);
}

TEST_CASE("a file that is written, replaced or removed is told of, and nothing else in its directory") {
    const test::TemporaryFolder directory;
    directory.write("c.yaml", "1");
    Scene scene(directory.file("c.yaml"));
    directory.write("other", "1");
    CHECK(scene.is_silent());
    directory.write("c.yaml", "2");
    CHECK(scene.tells());
    directory.write("c.yaml.new", "3");
    fs::rename(directory.path() / "c.yaml.new", directory.path() / "c.yaml");
    CHECK(scene.tells());
    fs::remove(directory.path() / "c.yaml");
    CHECK(scene.tells());
    directory.write("c.yaml", "4");
    CHECK(scene.tells());
}

TEST_CASE("a link that turns is told of, time and again") {
    const test::TemporaryFolder directory;
    publish(directory, "..one");
    fs::create_symlink("..data/onceward.yaml", directory.path() / "onceward.yaml");
    Scene scene(directory.file("onceward.yaml"));
    for (const std::string version : {"..two", "..three", "..four"}) {
        publish(directory, version);
        CHECK(scene.tells());
        scene.watch.set_places(places_of(directory.file("onceward.yaml")));
    }
    // What the link does not lead to any more is of no interest.
    directory.write("..one/onceward.yaml", "late");
    CHECK(scene.is_silent());
}

TEST_CASE("a directory that is moved away, removed or made again is told of, at any height") {
    const test::TemporaryFolder root;
    const auto path = root.path() / "etc" / "onceward" / "c.yaml";
    fs::create_directories(path.parent_path());
    root.write("etc/onceward/c.yaml", "1");
    Scene scene(path.string());
    CHECK(scene.watch.is_whole());
    const auto moved = GENERATE("etc", "etc/onceward");
    CAPTURE(moved);
    for (const auto* away : {"first", "second"}) {
        fs::rename(root.path() / moved, root.path() / away);
        CHECK(scene.tells());
        CHECK(scene.watch.set_places(places_of(path.string())));
        CHECK_FALSE(scene.watch.is_whole());
        fs::create_directories(path.parent_path());
        CHECK(scene.tells());
        CHECK(scene.watch.set_places(places_of(path.string())));
        CHECK_FALSE(scene.watch.set_places(places_of(path.string())));
        CHECK(scene.watch.is_whole());
        root.write("etc/onceward/c.yaml", "2");
        CHECK(scene.tells());
    }
    fs::remove_all(root.path() / moved);
    CHECK(scene.tells());
}

TEST_CASE("what else happens above a watched directory is of no interest") {
    const test::TemporaryFolder root;
    fs::create_directories(root.path() / "etc" / "onceward");
    Scene scene(root.file("etc/onceward/c.yaml"));
    root.write("etc/other", "1");
    root.write("other", "1");
    fs::create_directory(root.path() / "onceward");
    CHECK(scene.is_silent());
}

namespace {

Task<> add(boost::asio::io_context& loop, std::vector<int>& out) {
    const auto caller = std::this_thread::get_id();
    auto work = [caller] { return std::this_thread::get_id() == caller ? 0 : 42; };
    const int value = co_await net::aside(loop, std::move(work));
    out.push_back(value);
    auto failing = []() -> int { throw std::runtime_error("no"); };
    try {
        co_await net::aside(loop, std::move(failing));
    } catch (const std::runtime_error&) {
        out.push_back(std::this_thread::get_id() == caller ? 1 : 2);
    }
}

}  // namespace

TEST_CASE("work aside runs on another thread, and its end comes back to the loop") {
    boost::asio::io_context loop;
    std::vector<int> out;
    net::spawn(loop, add(loop, out));
    loop.run();
    CHECK(out == std::vector<int>{42, 1});
}
