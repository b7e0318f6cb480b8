#pragma once

#include "config/yaml_document.hpp"
#include "onceward/config/load.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace onceward::config {

/// Collects what is found wrong or doubtful in one file.
class Report {
public:
    explicit Report(std::string file) : file_(std::move(file)) {}

    /// Only the first finding about a value is kept.
    void error(Place place, std::string path, std::string message);
    void warning(Place place, std::string path, std::string message);
    [[nodiscard]] std::size_t error_count() const { return errors_.size(); }

    /// What a relative path counts from.
    [[nodiscard]] std::filesystem::path directory() const;

    /// A file that was read beside the configuration.
    void note_file(SourceFile file) { files_.push_back(std::move(file)); }

    /// Moves the findings into `loaded`, in the order of the file, and appends the files.
    void finish(Loaded& loaded);

private:
    void add(std::vector<Finding>& findings, Place place, std::string path, std::string message) const;

    std::string file_;
    std::vector<Finding> errors_;
    std::vector<Finding> warnings_;
    std::vector<SourceFile> files_;
};

/// A node that is being read, with its path from the root and where to report. Lives for one call.
struct Cursor {
    const Node& node;
    std::string path;
    Report& report;

    void error(std::string message) const { report.error(node.place, path, std::move(message)); }
    void warning(std::string message) const { report.warning(node.place, path, std::move(message)); }
    /// The error that says what stands there instead of `expected`.
    void mismatch(std::string_view expected) const;

    [[nodiscard]] Cursor item(std::size_t index) const;
    [[nodiscard]] Cursor member(const Node::Member& member) const;
};

/// `routes[0].lease`.
std::string member_path(const std::string& parent, std::string_view key);

}  // namespace onceward::config
