#pragma once

#include "admin/log_level.hpp"
#include "admin/record_pages.hpp"
#include "admin/site.hpp"
#include "onceward/admin/server.hpp"

#include <string>
#include <variant>

namespace onceward::admin {

/// Who may ask, and which page is asked.
class Pages final : public net::HttpPages {
public:
    Pages(asio::io_context& loop, const config::Admin& admin, const AdminParts& parts, net::Deadlines& deadlines);

    Task<std::optional<net::HttpAnswer>> admit(const net::HttpRequest& request) override;
    Task<net::HttpAnswer> answer(const net::HttpRequest& request) override;
    net::HttpAnswer refuse(net::HttpRefusal refusal) override;

private:
    /// A request that is let in, or why it is not.
    struct Visit {
        Actor actor;
        Place place;
    };
    Task<std::variant<Visit, net::HttpAnswer>> visit(const net::HttpRequest& request);
    Task<std::variant<Actor, net::HttpAnswer>> authenticate(const net::HttpRequest& request);
    [[nodiscard]] std::string token_file();
    net::HttpAnswer turn_away(const net::HttpRequest& request, net::HttpAnswer answer, std::string_view why);

    net::HttpAnswer show_config();
    net::HttpAnswer show_level() const;
    net::HttpAnswer change_level(const net::HttpRequest& request, const Actor& actor);
    Task<net::HttpAnswer> reload(const Actor& actor);

    asio::io_context& loop_;
    config::Admin admin_;
    AdminParts parts_;
    RecordPages records_;
    RecordChanges changes_;
    LogLevelSwitch level_;
    Deadline last_warning_{};
};

}  // namespace onceward::admin
