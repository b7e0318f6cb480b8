#include "cli/confirm.hpp"

#include "onceward/base/ascii.hpp"

#include <unistd.h>

#include <iostream>

namespace onceward::cli {

Consent confirm(const std::string& question) {
    if (::isatty(STDIN_FILENO) == 0) {
        return Consent::nobody_to_ask;
    }
    std::cerr << question << " [y/N] " << std::flush;
    std::string answer;
    std::getline(std::cin, answer);
    const auto word = base::to_lower(base::trim(answer));
    return word == "y" || word == "yes" ? Consent::given : Consent::refused;
}

}  // namespace onceward::cli
