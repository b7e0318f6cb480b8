#include "store/record_filter.hpp"

namespace onceward::store {

bool matches(const RecordQuery& query, const guard::Record& seen, StoreTime now) {
    return (query.route.empty() || seen.route == query.route) && (!query.state || seen.state == *query.state) &&
           (query.older_than.count() <= 0 || now - seen.updated_at >= query.older_than);
}

bool matches_unreadable(const RecordQuery& query, std::string_view route) {
    return !query.state && query.older_than.count() <= 0 && (query.route.empty() || route == query.route);
}

}  // namespace onceward::store
