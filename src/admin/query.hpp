#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace onceward::admin {

/// The parameters of a target's query, decoded (`application/x-www-form-urlencoded`). Pure.
class Query {
public:
    /// A parameter that is not among `known`, or that stands there twice and is not one of `repeatable`, is told in words.
    /// Nothing is guessed: a filter that is not understood must not show more than was asked for.
    static std::variant<Query, std::string> parse(std::string_view query, const std::vector<std::string_view>& known,
                                                  const std::vector<std::string_view>& repeatable = {});

    /// Nothing when it is not there; one without a value is empty.
    [[nodiscard]] std::optional<std::string> value(std::string_view name) const;
    [[nodiscard]] std::vector<std::string> values(std::string_view name) const;

private:
    std::vector<std::pair<std::string, std::string>> parameters_;
};

}  // namespace onceward::admin
