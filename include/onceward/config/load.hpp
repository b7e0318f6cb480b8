#pragma once

#include "onceward/base/tagged.hpp"
#include "onceward/config/options.hpp"

#include <iosfwd>
#include <string>
#include <vector>

namespace onceward::config {

/// One finding about a configuration file. `line` and `column` count from 1; 0 where there is no place (a file that can't be
/// read).
struct Finding {
    std::string file;
    int line = 0;
    int column = 0;
    std::string path;     ///< `routes[0].lease`
    std::string message;  ///< what is wrong, and what was expected
};
/// `file:line:column: path: message`.
std::string to_text(const Finding& finding);

/// A file that a configuration was made of, and what it held.
struct SourceFile {
    std::string path;
    Digest content;  ///< all zero when it could not be read
    bool operator==(const SourceFile&) const = default;
};
/// The same files, as they are now.
std::vector<SourceFile> as_they_are(const std::vector<SourceFile>& files);

struct Loaded {
    Options options;                ///< meaningful only without errors
    std::vector<Finding> errors;    ///< all of them, in the order of the file
    std::vector<Finding> warnings;  ///< doubtful combinations; they do not stop a start
    std::vector<SourceFile> files;  ///< that were read: the configuration first, then those of secrets
    [[nodiscard]] bool ok() const { return errors.empty(); }
};

/// What becomes of a configuration that is no regular file, such as `<(envsubst < onceward.yaml)`: it can be read once.
enum class Pipes : std::uint8_t {
    are_read,  ///< waits for who writes it
    are_refused
};

/// Reads, substitutes and validates a file: the one function behind `run`, `check`, `config` and each reload. Reads the files
/// that `file:` secrets name and the environment; writes nothing.
Loaded load_file(const std::string& path, Pipes pipes = Pipes::are_read);

/// The same from text; relative paths count from the directory of `file`.
Loaded load_text(const std::string& text, const std::string& file);

/// The effective configuration as YAML that loads to the same options: every key, defaults filled in, secrets as `***`.
std::string effective_yaml(const Options& options);

/// The JSON Schema of the configuration file.
std::string json_schema();

/// `url` with its password replaced by `***`.
std::string masked(const std::string& url);

}  // namespace onceward::config
