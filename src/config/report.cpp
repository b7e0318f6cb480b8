#include "config/report.hpp"

#include "config/scalar.hpp"
#include "config/text.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace onceward::config {

namespace {

/// The first finding about a value is the one to mend; the later ones follow from it. `defaults` are read again with each route.
bool covers(const Finding& earlier, const Finding& later) {
    const bool same_place = earlier.line == later.line && earlier.column == later.column;
    return same_place && (earlier.path == later.path || earlier.path.compare(0, 8, "defaults") == 0);
}

bool before(const Finding& a, const Finding& b) {
    return std::pair(a.line, a.column) < std::pair(b.line, b.column);
}

}  // namespace

std::string to_text(const Finding& finding) {
    std::string text = finding.file + ":";
    if (finding.line > 0) {
        text += std::to_string(finding.line) + ":" + std::to_string(finding.column) + ":";
    }
    if (!finding.path.empty()) {
        // Keys may hold anything, and this goes to a terminal.
        text += " " + without_controls(finding.path) + ":";
    }
    return text + " " + finding.message;
}

void Report::error(Place place, std::string path, std::string message) {
    add(errors_, place, std::move(path), std::move(message));
}

void Report::warning(Place place, std::string path, std::string message) {
    add(warnings_, place, std::move(path), std::move(message));
}

void Report::add(std::vector<Finding>& findings, Place place, std::string path, std::string message) const {
    Finding finding{file_, place.line, place.column, std::move(path), std::move(message)};
    if (std::none_of(findings.begin(), findings.end(), [&](const Finding& earlier) { return covers(earlier, finding); })) {
        findings.push_back(std::move(finding));
    }
}

std::filesystem::path Report::directory() const {
    return std::filesystem::absolute(file_).parent_path();
}

void Report::finish(Loaded& loaded) {
    std::stable_sort(errors_.begin(), errors_.end(), before);
    std::stable_sort(warnings_.begin(), warnings_.end(), before);
    loaded.errors = std::move(errors_);
    loaded.warnings = std::move(warnings_);
    loaded.files.insert(loaded.files.end(), std::make_move_iterator(files_.begin()), std::make_move_iterator(files_.end()));
}

void Cursor::mismatch(std::string_view expected) const {
    error("expected " + std::string(expected) + ", found " + found(node));
}

Cursor Cursor::item(std::size_t index) const {
    return {node.items[index], path + "[" + std::to_string(index) + "]", report};
}

Cursor Cursor::member(const Node::Member& member) const {
    return {member.value, member_path(path, member.key), report};
}

std::string member_path(const std::string& parent, std::string_view key) {
    return parent.empty() ? std::string(key) : parent + "." + std::string(key);
}

}  // namespace onceward::config
