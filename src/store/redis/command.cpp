#include "store/redis/command.hpp"

#include "onceward/base/hex.hpp"

#include <algorithm>
#include <array>
#include <charconv>

namespace onceward::store::redis {

namespace {

/// The longest `$<size>\r\n`, and the longest number.
constexpr std::size_t longest_header = 24;
constexpr std::size_t longest_number = 20;

// Each writes to `to` and gives the place behind.
char* put_text(char* to, std::string_view text) {
    return std::copy(text.begin(), text.end(), to);
}

template <typename Number>
char* put_number(char* to, Number number) {
    return std::to_chars(to, to + longest_number, number).ptr;
}

/// `kind`, a number and a line end.
char* put_header(char* to, char kind, std::size_t number) {
    *to++ = kind;
    return put_text(put_number(to, number), "\r\n");
}

/// Text that a pattern takes literally: a route is whatever an operator wrote.
void append_literal(std::string& pattern, std::string_view text) {
    for (const char c : text) {
        if (std::string_view("*?[]\\").find(c) != std::string_view::npos) {
            pattern += '\\';
        }
        pattern += c;
    }
}

}  // namespace

CommandWriter::CommandWriter(std::string& out, std::size_t argument_count) : out_(out) {
    std::array<char, longest_header> header;
    out_.append(header.data(), put_header(header.data(), '*', argument_count));
}

char* CommandWriter::grow(std::size_t size) {
    std::array<char, longest_header> header;
    const auto header_size = static_cast<std::size_t>(put_header(header.data(), '$', size) - header.data());
    const auto at = out_.size();
    out_.resize(at + header_size + size + 2);
    char* const argument = put_text(out_.data() + at, {header.data(), header_size});
    put_text(argument + size, "\r\n");
    return argument;
}

CommandWriter& CommandWriter::text(std::string_view argument) {
    put_text(grow(argument.size()), argument);
    return *this;
}

CommandWriter& CommandWriter::text(std::string_view first, std::string_view second) {
    put_text(put_text(grow(first.size() + second.size()), first), second);
    return *this;
}

CommandWriter& CommandWriter::number(std::int64_t argument) {
    std::array<char, longest_number> digits;
    return text({digits.data(), put_number(digits.data(), argument)});
}

CommandWriter& CommandWriter::hex(std::initializer_list<std::span<const std::uint8_t>> all) {
    std::size_t size = 0;
    for (const auto bytes : all) {
        size += 2 * bytes.size();
    }
    char* to = grow(size);
    for (const auto bytes : all) {
        to = base::put_hex(to, bytes);
    }
    return *this;
}

CommandWriter& CommandWriter::record_key(std::string_view prefix, std::string_view route, const RecordId& id,
                                         std::string_view suffix) {
    constexpr std::size_t punctuation = 4;
    char* to = grow(prefix.size() + route.size() + 2 * RecordId::size + punctuation + suffix.size());
    to = put_text(put_text(to, prefix), ":{");
    to = put_text(put_text(to, route), ":");
    to = put_text(base::put_hex(to, id.bytes), "}");
    put_text(to, suffix);
    return *this;
}

void append_command(std::string& out, std::initializer_list<std::string_view> arguments) {
    CommandWriter command(out, arguments.size());
    for (const auto argument : arguments) {
        command.text(argument);
    }
}

CommandWriter begin_script(std::string& out, const Script& script, ScriptForm form, std::size_t key_count,
                           std::size_t argument_count) {
    CommandWriter command(out, 3 + key_count + argument_count);
    if (form == ScriptForm::by_hash) {
        command.text("EVALSHA").text(script.sha1);
    } else {
        command.text("EVAL").text(script.source);
    }
    command.number(static_cast<std::int64_t>(key_count));
    return command;
}

Keyspace::Keyspace(std::string prefix)
    : prefix_(std::move(prefix)),
      channel_prefix_(prefix_ + ":changed:"),
      workers_(prefix_ + ":workers"),
      epoch_(prefix_ + ":epoch"),
      rules_(prefix_ + ":rules") {}

void Keyspace::append_record_keys(CommandWriter& command, std::string_view route, const RecordId& id) const {
    command.record_key(prefix_, route, id, {}).record_key(prefix_, route, id, ":body");
}

void Keyspace::append_record_key(CommandWriter& command, std::string_view route, const RecordId& id) const {
    command.record_key(prefix_, route, id, {});
}

std::string Keyspace::pieces_key(std::string_view route, const guard::PiecesId& of) const {
    std::string key = prefix_ + ":{";
    key.append(route).append(":");
    base::append_hex(key, of.id.bytes);
    return key.append("}:pieces:").append(std::to_string(of.fence.value));
}

std::string Keyspace::channel(const RecordId& id) const {
    std::string name = channel_prefix_;
    base::append_hex(name, id.bytes);
    return name;
}

bool Keyspace::parse_channel(std::string_view channel, RecordId& id) const {
    return channel.starts_with(channel_prefix_) && base::from_hex(channel.substr(channel_prefix_.size()), id.bytes);
}

bool Keyspace::parse_record_key(std::string_view key, std::string& route, RecordId& id) const {
    constexpr std::string_view open = ":{";
    constexpr std::size_t id_size = 2 * RecordId::size;
    if (!key.starts_with(prefix_) || !key.substr(prefix_.size()).starts_with(open) || !key.ends_with('}')) {
        return false;
    }
    key.remove_prefix(prefix_.size() + open.size());
    key.remove_suffix(1);
    if (key.size() <= id_size || key[key.size() - id_size - 1] != ':' ||
        !base::from_hex(key.substr(key.size() - id_size), id.bytes)) {
        return false;
    }
    route = key.substr(0, key.size() - id_size - 1);
    return true;
}

std::string Keyspace::record_pattern(std::string_view route) const {
    std::string pattern;
    append_literal(pattern, prefix_);
    pattern += ":{";
    append_literal(pattern, route);
    pattern += route.empty() ? "*}" : ":*}";
    return pattern;
}

std::string Keyspace::record_pattern(const RecordId& id) const {
    std::string pattern;
    append_literal(pattern, prefix_);
    pattern += ":{*:";
    base::append_hex(pattern, id.bytes);
    return pattern + '}';
}

}  // namespace onceward::store::redis
