#include "cli/output.hpp"

#include <iostream>

namespace onceward::cli {

int print(const std::string& text) {
    std::cout << text << std::flush;
    return std::cout ? fine : failed;
}

}  // namespace onceward::cli
