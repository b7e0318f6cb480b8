#include "onceward/reply/idempotency_fields.hpp"

#include "onceward/http/field_line.hpp"

namespace onceward::reply {

void append_idempotency_fields(std::string& out, const IdempotencyFields& fields) {
    if (fields.status == guard::IdempotencyStatus::passed) {
        return;
    }
    http::append_field(out, "Idempotency-Status", guard::to_text(fields.status));
    if (fields.operation_id) {
        http::append_number_field(out, "Idempotency-Operation-Id", fields.operation_id->value);
    }
    if (fields.recorded == Recorded::no) {
        out.append(not_recorded_line);
    }
    if (fields.status == guard::IdempotencyStatus::unguarded) {
        out.append("Idempotency-Guarded: false\r\n");
    }
}

}  // namespace onceward::reply
