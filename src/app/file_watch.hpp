#pragma once

#include "net/event.hpp"

#include <boost/asio/posix/basic_stream_descriptor.hpp>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace onceward::app {

namespace asio = boost::asio;

/// A name in a directory.
struct FilePlace {
    std::string directory;
    std::string name;
    auto operator<=>(const FilePlace&) const = default;
};

/// The places where a change shows of what `path` leads to: the file's own, and one for each symbolic link on the way to it, such
/// as `..data` of a ConfigMap. Links are followed as far as they go.
std::vector<FilePlace> places_of(const std::string& path);

/// Tells when something changed in some places: by inotify on their directories, so that a file that is replaced by another is
/// seen as well as one that is written to, and on the directories above those, so that one that is moved away and made again is
/// seen too, and by the kernel's list of mounts. Of one event loop. It tells too often rather than too rarely, and may still miss
/// what another host did to a network file system: whoever rests on it looks by himself now and then.
class FileWatch {
public:
    explicit FileWatch(asio::io_context& loop);

    /// Whether the system can tell; with false `changed` is never set.
    [[nodiscard]] bool works() const { return works_; }
    /// What to look at from now on. Whether a directory is another than before, or gone: what happened in it until now was not
    /// told.
    bool set_places(const std::vector<FilePlace>& places);
    /// Whether all directories of the places are watched; one that is not there, or may not be read, is not.
    [[nodiscard]] bool is_whole() const { return works_ && whole_; }
    /// Set when something may have changed.
    [[nodiscard]] net::Event& changed() { return changed_; }
    /// Reads what the system tells until `stop`. Started once.
    Task<> run();
    void stop();

private:
    using Descriptor = asio::posix::basic_stream_descriptor<asio::io_context::executor_type>;
    using Watches = std::map<std::string, int>;  ///< of directories; negative: refused

    void watch_mounts();
    Task<> run_mounts();
    int add(Watches& watches, const FilePlace& place, std::uint32_t what);
    bool adopt(Watches watches);
    bool drain();

    asio::io_context& loop_;
    Descriptor descriptor_;
    Descriptor mounts_;
    net::Event changed_;
    std::vector<FilePlace> places_;
    Watches directories_;
    std::map<int, std::vector<std::string>> names_;
    bool works_ = false;
    bool whole_ = true;
};

}  // namespace onceward::app
