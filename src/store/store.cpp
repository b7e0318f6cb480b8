#include "onceward/store/store.hpp"

namespace onceward::store {

namespace {

// Boost's base class has no virtual destructor; a category is never destroyed through it.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wnon-virtual-dtor"
class StoreCategory final : public boost::system::error_category {  // NOLINT(cppcoreguidelines-virtual-class-destructor)
public:
    [[nodiscard]] const char* name() const noexcept override { return "onceward.store"; }

    [[nodiscard]] std::string message(int value) const override {
        switch (static_cast<StoreErrc>(value)) {
            case StoreErrc::unavailable:
                return "the store is not available";
            case StoreErrc::timed_out:
                return "the store did not answer in time";
            case StoreErrc::lost:
                return "the connection to the store ended before its reply";
            case StoreErrc::corrupt:
                return "the stored record can't be read";
            case StoreErrc::rejected:
                return "the store refused the command";
            case StoreErrc::bad_cursor:
                return "the cursor is not one of this store's";
        }
        return "unknown store error";
    }
};
#pragma GCC diagnostic pop

}  // namespace

const boost::system::error_category& store_category() {
    static const StoreCategory category;
    return category;
}

boost::system::error_code make_error_code(StoreErrc errc) {
    return {static_cast<int>(errc), store_category()};
}

bool may_have_been_written(const boost::system::error_code& ec) {
    if (!ec) {
        return false;
    }
    if (ec.category() != store_category()) {
        // An error that is not the port's own says nothing about what the store did.
        return true;
    }
    const auto errc = static_cast<StoreErrc>(ec.value());
    return errc == StoreErrc::timed_out || errc == StoreErrc::lost;
}

}  // namespace onceward::store
