#include "store/sqlite/statement.hpp"

#include <sqlite3.h>

namespace onceward::store::sqlite {

namespace {

/// An empty value is not NULL: SQLite takes a null pointer for NULL.
const char* never_null(const void* data) {
    return data == nullptr ? "" : static_cast<const char*>(data);
}

}  // namespace

Statement::Statement(Database& database, const std::string& sql) {
    if (sqlite3_prepare_v3(database.handle(), sql.c_str(), -1, SQLITE_PREPARE_PERSISTENT, &handle_, nullptr) != SQLITE_OK) {
        database.fail("its tables are not as expected");
    }
}

Statement::~Statement() {
    sqlite3_finalize(handle_);
}

void Statement::bind(int parameter, std::int64_t value) {
    note(sqlite3_bind_int64(handle_, parameter, value));
}

void Statement::bind_text(int parameter, std::string_view value) {
    note(sqlite3_bind_text64(handle_, parameter, never_null(value.data()), value.size(), SQLITE_STATIC, SQLITE_UTF8));
}

void Statement::bind_blob(int parameter, Bytes value) {
    note(sqlite3_bind_blob64(handle_, parameter, never_null(value.data()), value.size(), SQLITE_STATIC));
}

void Statement::note(int bind_code) {
    if (bind_code != SQLITE_OK) {
        bind_code_ = bind_code;
    }
}

SqlStatus Statement::step() {
    return sql_status(bind_code_ != SQLITE_OK ? bind_code_ : sqlite3_step(handle_));
}

void Statement::reset() {
    sqlite3_reset(handle_);
    sqlite3_clear_bindings(handle_);
    bind_code_ = SQLITE_OK;
}

std::optional<std::int64_t> Statement::integer(int column) const {
    if (sqlite3_column_type(handle_, column) != SQLITE_INTEGER) {
        return std::nullopt;
    }
    return sqlite3_column_int64(handle_, column);
}

std::optional<std::string_view> Statement::text(int column) const {
    if (sqlite3_column_type(handle_, column) != SQLITE_TEXT) {
        return std::nullopt;
    }
    const auto* data = reinterpret_cast<const char*>(sqlite3_column_text(handle_, column));
    return std::string_view{never_null(data), static_cast<std::size_t>(sqlite3_column_bytes(handle_, column))};
}

std::optional<Bytes> Statement::blob(int column) const {
    if (sqlite3_column_type(handle_, column) != SQLITE_BLOB) {
        return std::nullopt;
    }
    const auto* data = static_cast<const std::uint8_t*>(sqlite3_column_blob(handle_, column));
    return Bytes{data, static_cast<std::size_t>(sqlite3_column_bytes(handle_, column))};
}

bool Statement::is_null(int column) const {
    return sqlite3_column_type(handle_, column) == SQLITE_NULL;
}

}  // namespace onceward::store::sqlite
