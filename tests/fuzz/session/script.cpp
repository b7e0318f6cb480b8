#include "script.hpp"

#include <algorithm>

namespace onceward::fuzz {

std::vector<Step> read_script(std::string_view input) {
    std::vector<Step> steps;
    while (!input.empty() && steps.size() < steps_max) {
        const auto step = input.substr(0, input.find(step_mark));
        if (!step.empty()) {
            steps.push_back({step.front(), step.substr(1)});
        }
        input.remove_prefix(std::min(step.size() + 1, input.size()));
    }
    return steps;
}

std::string write_script(const std::vector<Step>& steps) {
    std::string text;
    for (const auto& step : steps) {
        text += step_mark;
        text += step.letter;
        text += step.text;
    }
    return text;
}

}  // namespace onceward::fuzz
