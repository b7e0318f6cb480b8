#pragma once

#include "onceward/guard/command.hpp"
#include "store/redis/command.hpp"
#include "store/redis/field_reader.hpp"

#include <cstddef>
#include <string>
#include <string_view>

/// @file
/// Arguments and replies that several scripts have. The order is that of start.lua and settle.lua.

namespace onceward::store::redis {

/// Of start.lua.
constexpr std::size_t shared_argument_count = 7;
/// Of an answer, in settle.lua.
constexpr std::size_t response_argument_count = 2;

struct Subject {
    const OwnerToken& owner;
    OperationId operation_id;
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
/// Stands at the end of a reply, where there was a change.
guard::UnknownChange read_unknown_change(FieldReader& in);

}  // namespace onceward::store::redis
