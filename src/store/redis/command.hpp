#pragma once

#include "onceward/base/tagged.hpp"
#include "onceward/guard/content_piece.hpp"
#include "store/redis/scripts.hpp"

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>

namespace onceward::store::redis {

/// Writes one command as an array of bulk strings to the end of a buffer. As many arguments must follow as were announced.
class CommandWriter {
public:
    CommandWriter(std::string& out, std::size_t argument_count);

    CommandWriter& text(std::string_view argument);
    /// One argument of two texts, one behind the other.
    CommandWriter& text(std::string_view first, std::string_view second);
    CommandWriter& number(std::int64_t argument);
    CommandWriter& hex(std::span<const std::uint8_t> bytes) { return hex({bytes}); }
    /// One argument, one behind the other.
    CommandWriter& hex(std::initializer_list<std::span<const std::uint8_t>> all);
    /// `prefix:{route:rid}` and then `suffix`.
    CommandWriter& record_key(std::string_view prefix, std::string_view route, const RecordId& id, std::string_view suffix);

private:
    /// Room for an argument of this size; the caller fills it.
    char* grow(std::size_t size);
    std::string& out_;
};

void append_command(std::string& out, std::initializer_list<std::string_view> arguments);

/// How a script is named in a command: by its hash, or in full when the server does not know the hash.
enum class ScriptForm : std::uint8_t { by_hash, in_full };

/// EVALSHA or EVAL up to the number of keys; keys and `argument_count` arguments must follow.
CommandWriter begin_script(std::string& out, const Script& script, ScriptForm form, std::size_t key_count,
                           std::size_t argument_count);

/// Names of keys and channels.
class Keyspace {
public:
    explicit Keyspace(std::string prefix);

    /// `prefix:{route:rid}` and `prefix:{route:rid}:body`: one slot of a cluster.
    void append_record_keys(CommandWriter& command, std::string_view route, const RecordId& id) const;
    /// The first of them.
    void append_record_key(CommandWriter& command, std::string_view route, const RecordId& id) const;
    /// `prefix:{route:rid}:pieces:fence`.
    [[nodiscard]] std::string pieces_key(std::string_view route, const guard::PiecesId& of) const;
    /// `prefix:changed:rid`.
    [[nodiscard]] std::string channel(const RecordId& id) const;
    /// The id that a channel is about; false for any other channel.
    [[nodiscard]] bool parse_channel(std::string_view channel, RecordId& id) const;
    /// The route and id of a record's key; false for any other key.
    bool parse_record_key(std::string_view key, std::string& route, RecordId& id) const;
    /// What SCAN matches the keys of a route's records by; of all records with an empty route.
    [[nodiscard]] std::string record_pattern(std::string_view route) const;
    /// And the key of this record, whatever its route.
    [[nodiscard]] std::string record_pattern(const RecordId& id) const;
    [[nodiscard]] const std::string& workers() const { return workers_; }
    [[nodiscard]] const std::string& epoch() const { return epoch_; }
    [[nodiscard]] const std::string& rules() const { return rules_; }

private:
    std::string prefix_;
    std::string channel_prefix_;
    std::string workers_;
    std::string epoch_;
    std::string rules_;
};

}  // namespace onceward::store::redis
