#pragma once

#include "onceward/base/ascii.hpp"
#include "onceward/http/headers.hpp"

#include <array>
#include <cstddef>
#include <string_view>

namespace onceward::http {

/// The members of all Connection fields (RFC 9110 section 7.6.1). Views into the list that it was made of.
class ConnectionOptions {
public:
    explicit ConnectionOptions(const HeaderList& headers) {
        headers.for_each_value("Connection", [this](std::string_view list) {
            base::for_each_list_member(list, [this](std::string_view member) { add(member); });
        });
    }

    [[nodiscard]] bool close() const { return close_; }
    [[nodiscard]] bool keep_alive() const { return keep_alive_; }
    [[nodiscard]] bool upgrade() const { return upgrade_; }
    [[nodiscard]] bool te() const { return te_; }
    /// More names than a head with its field limit has a use for: refused, so that looking them up stays cheap.
    [[nodiscard]] bool too_many() const { return too_many_; }

    /// Names this field, and so takes it out of the message on the way on.
    [[nodiscard]] bool names(std::string_view field) const {
        // The other options that have a meaning of their own are fields of the hop anyway.
        if (close_ && base::iequals(field, "close")) {
            return true;
        }
        for (std::size_t i = 0; i < count_; ++i) {
            if (base::iequals(names_[i], field)) {
                return true;
            }
        }
        return false;
    }

private:
    void add(std::string_view member) {
        if (base::iequals(member, "close")) {
            close_ = true;
        } else if (base::iequals(member, "keep-alive")) {
            keep_alive_ = true;
        } else if (base::iequals(member, "upgrade")) {
            upgrade_ = true;
        } else if (base::iequals(member, "te")) {
            te_ = true;
        } else if (count_ < names_.size()) {
            names_[count_++] = member;
        } else {
            too_many_ = true;
        }
    }

    std::array<std::string_view, 32> names_;
    std::size_t count_ = 0;
    bool close_ = false;
    bool keep_alive_ = false;
    bool upgrade_ = false;
    bool te_ = false;
    bool too_many_ = false;
};

}  // namespace onceward::http
