#pragma once

#include "onceward/guard/operator_command.hpp"

/// @file
/// How each state is written into a record: its times and what goes with it. Whether it may be written is decided elsewhere.

namespace onceward::guard {

/// What replacing `stored` (nothing: the key was unknown) by `written` (nothing: it stays) does to the number of UNKNOWN records.
UnknownChange unknown_change(const std::optional<Record>& stored, const std::optional<Record>& written);

/// Sets the ends of a record that reads as EXPIRED from `until` on.
void keep_record(Record& record, StoreTime until, const Lifetimes& lifetimes);

/// A store may drop the record at `forget_at` also while it is PROCESSING: by then it has read as UNKNOWN and as EXPIRED.
void make_processing(Record& record, const Lifetimes& lifetimes, StoreTime now);
void make_completed(Record& record, const Complete& action, const Lifetimes& lifetimes, StoreTime now);
void make_unknown(Record& record, const std::string& evidence, const Lifetimes& lifetimes, StoreTime now);
/// Without a tombstone: the end of FAILED frees the key. `may` must not be set.
void make_failed(Record& record, const Fail& action, const Lifetimes& lifetimes, StoreTime now);

/// By an operator's word, with which the record has no owner any more.
void make_released(Record& record, const Lifetimes& lifetimes, StoreTime now);
void make_resolved(Record& record, const ResolveCompleted& action, const Lifetimes& lifetimes, StoreTime now);
void make_resolved(Record& record, const ResolveFailed& action, const Lifetimes& lifetimes, StoreTime now);

}  // namespace onceward::guard
