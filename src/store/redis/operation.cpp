#include "store/redis/operation.hpp"

#include "store/redis/error_reply.hpp"

namespace onceward::store::redis {

void Operation::on_reply(const Reply& reply) {
    failure_ = {};
    if (reply.is_error()) {
        on_error(reply.value().text);
    } else if (!read(reply)) {
        fail(StoreErrc::corrupt);
    }
}

void Operation::on_error(std::string_view text) {
    fail(classify(text).errc);
}

void ScriptOperation::on_error(std::string_view text) {
    const auto error = classify(text);
    is_missing_ = error.action == ErrorAction::send_source && form_ == ScriptForm::by_hash;
    if (is_missing_) {
        form_ = ScriptForm::in_full;
    }
    fail(error.errc);
}

void TextOperation::write(std::string& out) {
    CommandWriter command(out, arguments_.size());
    for (const auto& argument : arguments_) {
        command.text(argument);
    }
}

bool TextOperation::read(const Reply& reply) {
    is_nil_ = reply.values.empty() || reply.values.back().kind == ValueKind::nil;
    if (!is_nil_) {
        text_ = reply.values.back().text;
    }
    return true;
}

}  // namespace onceward::store::redis
