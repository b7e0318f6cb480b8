#include "cli/arguments.hpp"
#include "cli/command_tree.hpp"
#include "cli/completion.hpp"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include <algorithm>
#include <sstream>

/// @file
/// Reads off the parser what a shell may complete.

namespace onceward::cli {

namespace {

/// The words of `STATE:{completed,failed}`.
std::vector<std::string> values_of(const CLI::Option& option) {
    const auto type = option.get_type_name();
    const auto begin = type.find('{');
    const auto end = type.find('}', std::min(begin, type.size()));
    std::vector<std::string> out;
    if (begin == std::string::npos || end == std::string::npos) {
        return out;
    }
    std::istringstream list(type.substr(begin + 1, end - begin - 1));
    for (std::string word; std::getline(list, word, ',');) {
        out.push_back(word);
    }
    return out;
}

/// One line, without what would end it in a shell's list.
std::string meaning_of(const std::string& text) {
    return text.substr(0, text.find('\n'));
}

std::vector<std::string> names_of(const CLI::Option& option) {
    std::vector<std::string> names;
    for (const auto& name : option.get_snames()) {
        names.push_back("-" + name);
    }
    for (const auto& name : option.get_lnames()) {
        names.push_back("--" + name);
    }
    return names;
}

void add_option(CommandPlace& place, const CLI::Option& option) {
    const auto meaning = meaning_of(option.get_description());
    const auto names = names_of(option);
    if (names.empty()) {
        const auto words = values_of(option);
        place.words.insert(place.words.end(), words.begin(), words.end());
    } else if (option.get_items_expected_max() == 0) {
        for (const auto& name : names) {
            place.flags.push_back({name, meaning});
        }
    } else {
        place.options.push_back({names, meaning, option.get_type_name().substr(0, 4) == "FILE", values_of(option)});
    }
}

void add_places(std::vector<CommandPlace>& places, const CLI::App& app, const std::string& where) {
    CommandPlace place;
    place.place = where;
    for (const auto* option : app.get_options()) {
        add_option(place, *option);
    }
    const auto all = [](const CLI::App*) { return true; };
    for (const auto* command : app.get_subcommands(all)) {
        place.commands.push_back({command->get_name(), meaning_of(command->get_description())});
    }
    places.push_back(std::move(place));
    for (const auto* command : app.get_subcommands(all)) {
        add_places(places, *command, where + "/" + command->get_name());
    }
}

}  // namespace

std::string completion_script(const std::string& shell) {
    CLI::App app("", "onceward");
    Invocation invocation;
    add_commands(app, invocation);
    std::vector<CommandPlace> places;
    add_places(places, app, "");
    if (shell == "zsh") {
        return zsh_completion(places);
    }
    return shell == "fish" ? fish_completion(places) : bash_completion(places);
}

}  // namespace onceward::cli
