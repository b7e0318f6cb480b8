#pragma once

#include "admin/audit.hpp"
#include "net/http_server.hpp"
#include "onceward/admin/control.hpp"
#include "onceward/store/store.hpp"

#include <string_view>

namespace onceward::admin {

/// `GET /records`, `/records/lookup` and `/records/{id}`.
class RecordPages {
public:
    RecordPages(Control& control, store::Store& store) : control_(control), store_(store) {}

    Task<net::HttpAnswer> list(std::string_view query);
    Task<net::HttpAnswer> lookup(std::string_view query);
    Task<net::HttpAnswer> show(std::string_view id, std::string_view query);

private:
    /// `absent`: what is said when there is none.
    Task<net::HttpAnswer> find(const store::RecordLookup& wanted, const std::string& absent);

    Control& control_;
    store::Store& store_;
};

/// `POST /records/{id}/release` and `/resolve`.
class RecordChanges {
public:
    RecordChanges(Control& control, store::Store& store) : control_(control), store_(store) {}

    enum class Change : std::uint8_t { release, resolve };
    struct Request {
        Change change;
        std::string_view id;
        std::string_view query;
        std::string_view content;
    };
    Task<net::HttpAnswer> apply(const Request& request, const Actor& actor);

private:
    Task<net::HttpAnswer> operate(const guard::OperatorCommand& command, const Actor& actor);

    Control& control_;
    store::Store& store_;
};

/// Names of the routes that are configured now.
std::vector<std::string> route_names(Control& control);

}  // namespace onceward::admin
