#include "cli/completion.hpp"

#include "onceward/base/joined.hpp"

#include <algorithm>

namespace onceward::cli {

using base::joined;

namespace {

/// For single quotes of a POSIX shell.
std::string quoted(std::string_view text) {
    std::string out = "'";
    for (const char c : text) {
        out += c == '\'' ? std::string("'\\''") : std::string(1, c);
    }
    return out + "'";
}

/// In fish a backslash and a quote are escaped inside of single quotes.
std::string fish_quoted(std::string_view text) {
    std::string out = "'";
    for (const char c : text) {
        out += (c == '\'' || c == '\\') ? std::string("\\") + c : std::string(1, c);
    }
    return out + "'";
}

/// Patterns of a `case` that match each place below the top.
std::string place_patterns(const std::vector<CommandPlace>& places, std::string_view between) {
    std::vector<std::string> out;
    for (const auto& place : places) {
        if (!place.place.empty()) {
            out.push_back(place.place);
        }
    }
    return joined(out, between);
}

std::vector<std::string> words_of(const CommandPlace& place) {
    std::vector<std::string> out = place.words;
    for (const auto& command : place.commands) {
        out.push_back(command.word);
    }
    for (const auto& flag : place.flags) {
        out.push_back(flag.word);
    }
    for (const auto& option : place.options) {
        out.insert(out.end(), option.names.begin(), option.names.end());
    }
    return out;
}

/// Pattern of a `case` that matches each name of an option, behind its command.
std::string option_patterns(const CommandPlace& place, const ValueOption& option) {
    std::vector<std::string> out;
    for (const auto& name : option.names) {
        out.push_back(quoted(place.place + " " + name));
    }
    return joined(out, "|");
}

/// `word:meaning` as zsh's `_describe` takes it.
std::string described(std::string word, const std::string& meaning) {
    for (std::size_t at = word.find(':'); at != std::string::npos; at = word.find(':', at + 2)) {
        word.replace(at, 1, "\\:");
    }
    return quoted(word + ":" + meaning);
}

void append_fish_place(std::string& out, const CommandPlace& place) {
    const auto begin = "complete -c onceward -n 'test (__onceward_place) = /" +
                       place.place.substr(std::min<std::size_t>(place.place.size(), 1)) + "'";
    for (const auto& command : place.commands) {
        out += begin + " -a " + command.word + " -d " + fish_quoted(command.meaning) + "\n";
    }
    for (const auto& word : place.words) {
        out += begin + " -a " + word + "\n";
    }
    const auto name_of = [](const std::string& name) {
        return name.substr(0, 2) == "--" ? " -l " + name.substr(2) : " -s " + name.substr(1);
    };
    for (const auto& flag : place.flags) {
        out += begin + name_of(flag.word) + " -d " + fish_quoted(flag.meaning) + "\n";
    }
    for (const auto& option : place.options) {
        out += begin;
        for (const auto& name : option.names) {
            out += name_of(name);
        }
        out += option.is_file ? " -r -F" : " -x";
        if (!option.values.empty()) {
            out += " -a " + fish_quoted(joined(option.values, " "));
        }
        out += " -d " + fish_quoted(option.meaning) + "\n";
    }
}

}  // namespace

std::string bash_completion(const std::vector<CommandPlace>& places) {
    std::string values;
    std::string words;
    for (const auto& place : places) {
        for (const auto& option : place.options) {
            values += "        " + option_patterns(place, option) + ") ";
            values += option.is_file
                          ? "compopt -o default; return ;;\n"
                          : "COMPREPLY=($(compgen -W " + quoted(joined(option.values, " ")) + " -- \"$cur\")); return ;;\n";
        }
        words += "        " + quoted(place.place) + ") words=" + quoted(joined(words_of(place), " ")) + " ;;\n";
    }
    return "# bash completion of onceward\n"
           "_onceward() {\n"
           "    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} place= words= i\n"
           "    COMPREPLY=()\n"
           "    for ((i = 1; i < COMP_CWORD; i++)); do\n"
           "        case \"$place/${COMP_WORDS[i]}\" in\n"
           "            " +
           place_patterns(places, "|") +
           ") place=$place/${COMP_WORDS[i]} ;;\n"
           "        esac\n"
           "    done\n"
           "    case \"$place $prev\" in\n" +
           values +
           "    esac\n"
           "    case \"$place\" in\n" +
           words +
           "    esac\n"
           "    COMPREPLY=($(compgen -W \"$words\" -- \"$cur\"))\n"
           "}\n"
           "complete -F _onceward onceward\n";
}

std::string zsh_completion(const std::vector<CommandPlace>& places) {
    std::string values;
    std::string words;
    for (const auto& place : places) {
        for (const auto& option : place.options) {
            values += "        " + option_patterns(place, option) + ") ";
            values += option.is_file          ? "_files; return ;;\n"
                      : option.values.empty() ? "_message " + quoted(option.meaning) + "; return ;;\n"
                                              : "compadd -- " + joined(option.values, " ") + "; return ;;\n";
        }
        words += "        " + quoted(place.place) + ") candidates=(";
        for (const auto& word : place.words) {
            words += " " + quoted(word);
        }
        for (const auto& each : place.commands) {
            words += " " + described(each.word, each.meaning);
        }
        for (const auto& each : place.flags) {
            words += " " + described(each.word, each.meaning);
        }
        for (const auto& option : place.options) {
            words += " " + described(option.names.back(), option.meaning);
        }
        words += " ) ;;\n";
    }
    return "#compdef onceward\n"
           "_onceward() {\n"
           "    local place= prev=${words[CURRENT-1]} i\n"
           "    local -a candidates\n"
           "    for ((i = 2; i < CURRENT; i++)); do\n"
           "        case \"$place/${words[i]}\" in\n"
           "            " +
           place_patterns(places, "|") +
           ") place=\"$place/${words[i]}\" ;;\n"
           "        esac\n"
           "    done\n"
           "    case \"$place $prev\" in\n" +
           values +
           "    esac\n"
           "    case \"$place\" in\n" +
           words +
           "    esac\n"
           "    _describe onceward candidates\n"
           "}\n"
           "_onceward \"$@\"\n";
}

std::string fish_completion(const std::vector<CommandPlace>& places) {
    std::string out =
        "# fish completion of onceward\n"
        "function __onceward_place\n"
        "    set -l place ''\n"
        "    set -l words (commandline -opc)\n"
        "    for word in $words[2..-1]\n"
        "        switch \"$place/$word\"\n"
        "            case " +
        place_patterns(places, " ") +
        "\n"
        "                set place \"$place/$word\"\n"
        "        end\n"
        "    end\n"
        "    test -z \"$place\"; and echo /; or echo $place\n"
        "end\n"
        "complete -c onceward -f\n";
    for (const auto& place : places) {
        append_fish_place(out, place);
    }
    return out;
}

}  // namespace onceward::cli
