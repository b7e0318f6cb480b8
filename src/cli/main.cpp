#include "onceward/cli/main.hpp"

#include "cli/arguments.hpp"
#include "cli/commands.hpp"
#include "cli/output.hpp"

#include <iostream>

namespace onceward::cli {

int main(int argc, char** argv) {
    const auto parsed = parse_arguments(argc, argv);
    if (const auto* usage = std::get_if<Usage>(&parsed)) {
        if (usage->exit_code == fine) {
            return print(usage->text);
        }
        std::cerr << usage->text;
        return usage->exit_code;
    }
    return execute(std::get<Invocation>(parsed));
}

}  // namespace onceward::cli
