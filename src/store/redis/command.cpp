#include "store/redis/command.hpp"

#include "onceward/base/hex.hpp"

#include <array>
#include <charconv>

namespace onceward::store::redis {

namespace {

/// A short text, put together outside of the buffer so that it is appended at once.
class Piece {
public:
    Piece& put(char c) {
        text_[size_++] = c;
        return *this;
    }
    template <typename Number>
    Piece& number(Number number) {
        const auto result = std::to_chars(text_.data() + size_, text_.data() + text_.size(), number);
        size_ = static_cast<std::size_t>(result.ptr - text_.data());
        return *this;
    }
    Piece& line_end() { return put('\r').put('\n'); }
    [[nodiscard]] std::string_view text() const { return {text_.data(), size_}; }

private:
    std::array<char, 64> text_;
    std::size_t size_ = 0;
};

}  // namespace

CommandWriter::CommandWriter(std::string& out, std::size_t argument_count) : out_(out) {
    out_ += Piece().put('*').number(argument_count).line_end().text();
}

void CommandWriter::begin(std::size_t size) {
    out_ += Piece().put('$').number(size).line_end().text();
}

CommandWriter& CommandWriter::text(std::string_view argument) {
    begin(argument.size());
    out_ += argument;
    end();
    return *this;
}

CommandWriter& CommandWriter::text(std::string_view first, std::string_view second) {
    begin(first.size() + second.size());
    out_ += first;
    out_ += second;
    end();
    return *this;
}

CommandWriter& CommandWriter::number(std::int64_t argument) {
    return text(Piece().number(argument).text());
}

CommandWriter& CommandWriter::numbers(std::size_t first, std::size_t second) {
    return text(Piece().number(first).put(' ').number(second).text());
}

CommandWriter& CommandWriter::hex(std::initializer_list<std::span<const std::uint8_t>> all) {
    std::size_t size = 0;
    for (const auto bytes : all) {
        size += 2 * bytes.size();
    }
    begin(size);
    for (const auto bytes : all) {
        base::append_hex(out_, bytes);
    }
    end();
    return *this;
}

CommandWriter& CommandWriter::record_key(std::string_view prefix, std::string_view route, const RecordId& id,
                                         std::string_view suffix) {
    constexpr std::size_t punctuation = 4;
    begin(prefix.size() + route.size() + 2 * RecordId::size + punctuation + suffix.size());
    out_ += prefix;
    out_ += ":{";
    out_ += route;
    out_ += ':';
    base::append_hex(out_, id.bytes);
    out_ += '}';
    out_ += suffix;
    end();
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
      epoch_(prefix_ + ":epoch") {}

void Keyspace::append_record_keys(CommandWriter& command, std::string_view route, const RecordId& id) const {
    command.record_key(prefix_, route, id, {}).record_key(prefix_, route, id, ":body");
}

std::string Keyspace::channel(const RecordId& id) const {
    std::string name = channel_prefix_;
    base::append_hex(name, id.bytes);
    return name;
}

bool Keyspace::parse_channel(std::string_view channel, RecordId& id) const {
    return channel.starts_with(channel_prefix_) && base::from_hex(channel.substr(channel_prefix_.size()), id.bytes);
}

}  // namespace onceward::store::redis
