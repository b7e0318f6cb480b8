#pragma once

#include "onceward/guard/command.hpp"
#include "store/redis/command.hpp"
#include "store/redis/field_reader.hpp"

#include <cstddef>
#include <string>
#include <string_view>

/// @file
/// What a record and what is about it look like in the arguments of scripts and in their replies. The order is that of start.lua,
/// settle.lua and names.lua.

namespace onceward::store::redis {

/// Of start.lua.
constexpr std::size_t shared_argument_count = 8;
/// Of an answer, in settle.lua.
constexpr std::size_t response_argument_count = 5;

struct Subject {
    const OwnerToken& owner;
    OperationId operation_id;
    const std::string& route;
    const guard::RequestIdentity& identity;
    const guard::Lifetimes& lifetimes;
};

/// What start.lua reads.
void write_subject(CommandWriter& out, const Subject& subject);
/// An answer as settle.lua reads it.
void write_response(CommandWriter& out, const guard::RecordedResponse& response);
/// A lifetime in microseconds; no sum of the clock and two of them overflows.
std::int64_t micros(milliseconds duration);
std::string_view digit(bool value);

guard::RecordState read_state(FieldReader& in);
OwnerToken read_last_owner(FieldReader& in);
/// Stands at the end of a reply, where there was a change.
guard::UnknownChange read_unknown_change(FieldReader& in);
/// The fields from `state` to `forget_at`.
guard::Record read_record(FieldReader& in);

/// A response whose head and content are still one text.
struct StoredResponse {
    guard::RecordedResponse response;
    std::size_t head_size = 0;
    std::size_t body_size = 0;
};

/// The fields from `status` to `sizes`.
StoredResponse read_response(FieldReader& in);
/// The same, which only a COMPLETED record has to have.
void skip_response(FieldReader& in);
guard::RecordedResponse put_together(FieldReader& in, StoredResponse stored, std::string_view text);

}  // namespace onceward::store::redis
