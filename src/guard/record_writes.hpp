#pragma once

#include "onceward/guard/command.hpp"

/// @file
/// How each state is written into a record: its times and what goes with it. Whether it may be written is decided elsewhere.

namespace onceward::guard {

/// Sets the ends of a record that reads as EXPIRED from `until` on.
void keep_record(Record& record, StoreTime until, const Lifetimes& lifetimes);

/// A store may drop the record at `forget_at` also while it is PROCESSING: by then it has read as UNKNOWN and as EXPIRED.
void make_processing(Record& record, const Lifetimes& lifetimes, StoreTime now);
void make_completed(Record& record, const Complete& action, const Lifetimes& lifetimes, StoreTime now);
void make_unknown(Record& record, const std::string& evidence, const Lifetimes& lifetimes, StoreTime now);
/// Without a tombstone: the end of FAILED frees the key. `may` must not be set.
void make_failed(Record& record, const Fail& action, const Lifetimes& lifetimes, StoreTime now);

}  // namespace onceward::guard
