#include "store/redis/resp.hpp"

#include <hiredis/read.h>

#include <new>

namespace onceward::store::redis {

namespace {

/// Unused memory that the reader may keep between replies.
constexpr std::size_t kept_capacity = 64 * std::size_t{1024};
constexpr std::size_t kept_values = 1'024;

/// Where hiredis' callbacks put what they are told. Texts are kept as offsets until the reply is whole: the arena may move.
struct Assembly {
    std::string arena;
    std::vector<std::size_t> offsets;
    Reply reply;

    void begin() {
        arena.clear();
        if (arena.capacity() > kept_capacity) {
            arena.shrink_to_fit();
        }
        offsets.clear();
        reply.values.clear();
        if (reply.values.capacity() > kept_values) {
            offsets.shrink_to_fit();
            reply.values.shrink_to_fit();
        }
        reply.is_array = false;
    }
    void add(ValueKind kind, std::string_view text, std::int64_t integer) {
        offsets.push_back(arena.size());
        arena.append(text);
        reply.values.push_back({kind, text, integer});
    }
    void finish() {
        for (std::size_t i = 0; i < offsets.size(); ++i) {
            auto& text = reply.values[i].text;
            text = std::string_view(arena).substr(offsets[i], text.size());
        }
    }
};

/// An exception must not pass through the frames of C code.
void* add_value(const redisReadTask* task, ValueKind kind, std::string_view text, std::int64_t integer) noexcept {
    auto& assembly = *static_cast<Assembly*>(task->privdata);
    try {
        assembly.add(kind, text, integer);
    } catch (const std::bad_alloc&) {
        return nullptr;
    }
    return &assembly;
}

void* on_string(const redisReadTask* task, char* text, std::size_t size) {
    switch (task->type) {
        case REDIS_REPLY_ERROR:
            return add_value(task, ValueKind::error, {text, size}, 0);
        case REDIS_REPLY_STATUS:
            return add_value(task, ValueKind::status, {text, size}, 0);
        case REDIS_REPLY_STRING:
            return add_value(task, ValueKind::bulk, {text, size}, 0);
        default:
            return nullptr;
    }
}

/// hiredis 0.14 counts in int, 1.x in size_t, and calls this for the maps and sets of RESP3 too. Refusing here bounds what a peer
/// can make this process allocate.
template <typename Count>
void* on_array(const redisReadTask* task, Count count) {
    if (task->type != REDIS_REPLY_ARRAY || task->parent != nullptr || count > static_cast<Count>(ReplyReader::array_max)) {
        return nullptr;
    }
    auto& assembly = *static_cast<Assembly*>(task->privdata);
    assembly.reply.is_array = true;
    return &assembly;
}

void* on_integer(const redisReadTask* task, long long integer) {
    return add_value(task, ValueKind::integer, {}, integer);
}
void* on_nil(const redisReadTask* task) {
    return add_value(task, ValueKind::nil, {}, 0);
}
void on_free(void* /*object*/) {}

/// RESP3 is never asked for, but hiredis 1.x parses it: without these it would hand out made-up pointers.
template <typename Functions>
void refuse_resp3(Functions& functions) {
    if constexpr (requires { functions.createDouble; }) {
        functions.createDouble = [](const redisReadTask*, double, char*, std::size_t) -> void* { return nullptr; };
        functions.createBool = [](const redisReadTask*, int) -> void* { return nullptr; };
    }
}

redisReplyObjectFunctions make_functions() {
    redisReplyObjectFunctions functions{};
    functions.createString = on_string;
    functions.createArray = on_array;
    functions.createInteger = on_integer;
    functions.createNil = on_nil;
    functions.freeObject = on_free;
    refuse_resp3(functions);
    return functions;
}

redisReader* open_reader(Assembly& assembly) {
    static redisReplyObjectFunctions functions = make_functions();
    auto* const reader = redisReaderCreateWithFunctions(&functions);
    if (reader == nullptr) {
        throw std::bad_alloc();
    }
    reader->privdata = &assembly;
    reader->maxbuf = kept_capacity;
    return reader;
}

struct CloseReader {
    void operator()(redisReader* reader) const { redisReaderFree(reader); }
};

}  // namespace

struct ReplyReader::Parser {
    Assembly assembly;
    std::unique_ptr<redisReader, CloseReader> reader{open_reader(assembly)};
    bool in_reply = false;
};

ReplyReader::ReplyReader() : parser_(std::make_unique<Parser>()) {}
ReplyReader::~ReplyReader() = default;

void ReplyReader::reset() {
    parser_ = std::make_unique<Parser>();
    pending_bytes_ = 0;
    broken_ = false;
}

void ReplyReader::feed(std::string_view bytes) {
    pending_bytes_ += bytes.size();
    broken_ = broken_ || pending_bytes_ > reply_bytes_max ||
              redisReaderFeed(parser_->reader.get(), bytes.data(), bytes.size()) != REDIS_OK;
}

const Reply* ReplyReader::next() {
    auto& parser = *parser_;
    if (broken_) {
        return nullptr;
    }
    if (!parser.in_reply) {
        parser.assembly.begin();
        parser.in_reply = true;
    }
    void* object = nullptr;
    if (redisReaderGetReply(parser.reader.get(), &object) != REDIS_OK) {
        broken_ = true;
        return nullptr;
    }
    if (object == nullptr) {
        return nullptr;
    }
    parser.in_reply = false;
    pending_bytes_ = parser.reader->len - parser.reader->pos;
    parser.assembly.finish();
    return &parser.assembly.reply;
}

}  // namespace onceward::store::redis
