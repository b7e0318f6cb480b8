#include "config/checks.hpp"
#include "config/keys.hpp"
#include "config/report.hpp"
#include "config/route_loader.hpp"
#include "config/source_file.hpp"
#include "config/store_url.hpp"
#include "config/substitution.hpp"
#include "config/yaml_document.hpp"
#include "onceward/config/load.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>

namespace onceward::config {

namespace {

/// Reports keys that are there twice and leaves the first of them.
void remove_duplicates(Node& node, const std::string& path, Report& report) {
    for (std::size_t i = 0; i < node.items.size(); ++i) {
        remove_duplicates(node.items[i], path + "[" + std::to_string(i) + "]", report);
    }
    std::vector<Node::Member> kept;
    for (auto& member : node.members) {
        const auto here = member_path(path, member.key);
        const auto same_key = [&](const Node::Member& other) { return other.key == member.key; };
        const auto earlier = std::find_if(kept.begin(), kept.end(), same_key);
        if (member.key == "<<") {
            report.error(member.place, here, "a YAML merge key: expected the keys themselves, or the section defaults");
        } else if (earlier != kept.end()) {
            report.error(member.place, here,
                         "the key " + shown(member.key) + " is already there in line " + std::to_string(earlier->place.line) +
                             ": expected it once");
        } else {
            remove_duplicates(member.value, here, report);
            kept.push_back(std::move(member));
        }
    }
    node.members = std::move(kept);
}

/// What has no size to be asked for: a pipe, a terminal. Waits for its end.
std::variant<std::string, base::FileFailure> read_pipe(const std::string& path) {
    std::error_code error;
    std::ifstream file(path, std::ios::binary);
    if (!file || std::filesystem::is_directory(path, error)) {
        return base::FileFailure::unreadable;
    }
    std::string text(source_bytes_max + 1, '\0');
    file.read(text.data(), static_cast<std::streamsize>(text.size()));
    if (file.bad()) {
        return base::FileFailure::unreadable;
    }
    text.resize(static_cast<std::size_t>(file.gcount()));
    return text.size() > source_bytes_max ? std::variant<std::string, base::FileFailure>(base::FileFailure::too_large) : text;
}

void read_options(Node& root, Report& report, Options& options) {
    options.store = std::get<Store>(parse_store_url(options.store.url, report.directory()));
    remove_duplicates(root, "", report);
    substitute(root, "", report);
    const Cursor cursor{root, "", report};
    read_keys(cursor, option_keys(), options);
    // A combination is only judged when its parts were understood.
    const bool understood = report.error_count() == 0;
    load_routes(cursor, options);
    if (understood) {
        check_options(cursor, options);
    }
}

}  // namespace

Loaded load_text(const std::string& text, const std::string& file) {
    Loaded loaded;
    Report report(file);
    auto document = parse_yaml(text);
    if (const auto* error = std::get_if<YamlError>(&document)) {
        report.error(error->place, "", error->message);
    } else {
        auto& root = std::get<Node>(document);
        if (root.place.line == 0) {
            root.place = {1, 1};  // an empty file has no value that could have a place
        }
        read_options(root, report, loaded.options);
    }
    report.finish(loaded);
    return loaded;
}

Loaded load_file(const std::string& path, Pipes pipes) {
    auto read = read_source(path, source_bytes_max);
    const auto* failure = std::get_if<base::FileFailure>(&read.text);
    if (failure != nullptr && *failure == base::FileFailure::unreadable && pipes == Pipes::are_read) {
        read.text = read_pipe(path);
        failure = std::get_if<base::FileFailure>(&read.text);
    }
    Loaded loaded;
    if (failure != nullptr) {
        const auto what = *failure == base::FileFailure::too_large ? "larger than " + std::to_string(source_bytes_max) + " bytes"
                                                                   : std::string("can't be read: expected a configuration file");
        loaded.errors.push_back({path, 0, 0, {}, what});
    } else {
        loaded = load_text(std::get<std::string>(read.text), path);
    }
    loaded.files.insert(loaded.files.begin(), read.source);
    return loaded;
}

}  // namespace onceward::config
