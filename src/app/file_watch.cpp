#include "app/file_watch.hpp"

#include "net/use_task.hpp"
#include "onceward/telemetry/log.hpp"

#include <fcntl.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>

namespace onceward::app {

namespace {

namespace fs = std::filesystem;

/// As many as the kernel follows (path_resolution(7)).
constexpr int links_max = 40;

/// Not `IN_MODIFY`: a file that is still being written is looked at when its writer has closed it.
constexpr std::uint32_t what_changes = IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVED_FROM | IN_CREATE | IN_DELETE | IN_ATTRIB |
                                       IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR | IN_MASK_ADD;

/// Of a directory on the way: only whether the next one is another now. Such a directory may be a busy one, `/tmp` for example.
constexpr std::uint32_t what_replaces = IN_MOVED_TO | IN_MOVED_FROM | IN_CREATE | IN_DELETE | IN_ONLYDIR | IN_MASK_ADD;

/// Polls as an exception when something was mounted or unmounted (proc_pid_mountinfo(5)).
constexpr const char* list_of_mounts = "/proc/self/mountinfo";

fs::path absolute(const fs::path& path) {
    std::error_code ec;
    auto out = fs::absolute(path, ec);
    return ec ? path : out;
}

}  // namespace

std::vector<FilePlace> places_of(const std::string& path) {
    std::vector<FilePlace> places;
    int links = 0;
    auto left = absolute(path);
    for (bool again = true; again;) {
        again = false;
        fs::path directory = left.root_path();
        const auto relative = left.relative_path();
        for (auto part = relative.begin(); part != relative.end(); ++part) {
            std::error_code ec;
            const auto here = directory / *part;
            const bool link = fs::is_symlink(fs::symlink_status(here, ec));
            const bool last = std::next(part) == relative.end();
            const FilePlace place{directory.string(), part->string()};
            if ((link || last) && std::find(places.begin(), places.end(), place) == places.end()) {
                places.push_back(place);
            }
            if (link && ++links <= links_max) {
                auto target = fs::read_symlink(here, ec);
                target = target.is_absolute() ? target : directory / target;
                for (auto rest = std::next(part); rest != relative.end(); ++rest) {
                    target /= *rest;
                }
                left = target.lexically_normal();
                again = !ec;
                break;
            }
            directory = here;
        }
    }
    return places;
}

FileWatch::FileWatch(asio::io_context& loop)
    : loop_(loop), descriptor_(loop.get_executor()), mounts_(loop.get_executor()), changed_(loop) {
    const int descriptor = ::inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
    if (descriptor < 0) {
        telemetry::warn("files can't be watched: a changed configuration is seen a few seconds later",
                        {{"error", std::system_category().message(errno)}});
        return;
    }
    descriptor_.assign(descriptor);
    descriptor_.non_blocking(true);  // without Asio's word on it, its reads wait
    works_ = true;
    watch_mounts();
}

/// Without that list, as where `/proc` is hidden, a directory that another file system covers is seen by a look.
void FileWatch::watch_mounts() {
    const int descriptor = ::open(list_of_mounts, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) {
        return;
    }
    boost::system::error_code ec;
    mounts_.assign(descriptor, ec);
    if (ec) {
        ::close(descriptor);
    }
}

/// Watches a directory once for all its names. Its watch, negative where the system refuses one.
int FileWatch::add(Watches& watches, const FilePlace& place, std::uint32_t what) {
    auto known = watches.find(place.directory);
    if (known == watches.end()) {
        const int watch = ::inotify_add_watch(descriptor_.native_handle(), place.directory.c_str(), what);
        known = watches.emplace(place.directory, watch).first;
    }
    if (known->second >= 0) {
        names_[known->second].push_back(place.name);
    }
    return known->second;
}

bool FileWatch::set_places(const std::vector<FilePlace>& places) {
    if (!works_) {
        return false;
    }
    places_ = places;
    names_.clear();
    whole_ = true;
    Watches watches;
    for (const auto& place : places) {
        whole_ = add(watches, place, what_changes) >= 0 && whole_;
    }
    for (const auto& place : places) {
        for (fs::path inner = place.directory; inner.has_relative_path(); inner = inner.parent_path()) {
            add(watches, {inner.parent_path().string(), inner.filename().string()}, what_replaces);
        }
    }
    return adopt(std::move(watches));
}

bool FileWatch::adopt(Watches watches) {
    for (const auto& [directory, watch] : directories_) {
        if (watch >= 0 && names_.count(watch) == 0) {
            ::inotify_rm_watch(descriptor_.native_handle(), watch);
        }
    }
    const bool other = std::any_of(watches.begin(), watches.end(), [this](const auto& entry) {
        const auto before = directories_.find(entry.first);
        return before == directories_.end() ? entry.second >= 0 : before->second != entry.second;
    });
    directories_ = std::move(watches);
    return other;
}

/// Reads all that is there. Whether any of it is about a watched place.
bool FileWatch::drain() {
    alignas(inotify_event) std::array<char, 4096> buffer{};
    bool concerned = false;
    for (;;) {
        boost::system::error_code ec;
        const auto size = descriptor_.read_some(asio::buffer(buffer), ec);
        if (ec || size == 0) {
            return concerned;
        }
        for (std::size_t at = 0; at + sizeof(inotify_event) <= size;) {
            inotify_event event{};
            std::memcpy(&event, buffer.data() + at, sizeof event);
            const char* name = buffer.data() + at + sizeof event;
            const auto known = names_.find(event.wd);
            // Without a name it is about the directory itself, or about events that were lost; or a watch has ended, which
            // is no news.
            concerned = concerned || (event.len == 0 && (event.mask & IN_IGNORED) == 0) ||
                        (event.len > 0 && known != names_.end() &&
                         std::any_of(known->second.begin(), known->second.end(), [&](const auto& own) { return own == name; }));
            at += sizeof event + event.len;
        }
    }
}

Task<> FileWatch::run() {
    if (mounts_.is_open()) {
        net::spawn(loop_, run_mounts());
    }
    while (works_) {
        const auto [ec] = co_await descriptor_.async_wait(Descriptor::wait_read, net::use_task);
        if (ec || !works_) {
            co_return;
        }
        if (drain()) {
            changed_.set();
        }
    }
}

/// Mounts of others are no news: what counts is whether a path leads to another directory now.
Task<> FileWatch::run_mounts() {
    while (works_) {
        const auto [ec] = co_await mounts_.async_wait(Descriptor::wait_error, net::use_task);
        if (ec || !works_) {
            co_return;
        }
        const auto places = places_;
        if (set_places(places)) {
            changed_.set();
        }
    }
}

void FileWatch::stop() {
    works_ = false;
    boost::system::error_code ec;
    descriptor_.close(ec);
    mounts_.close(ec);
    changed_.set();
}

}  // namespace onceward::app
