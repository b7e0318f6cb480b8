#include "onceward/id/owner_token.hpp"

#include "onceward/crypto/random.hpp"

namespace onceward::id {

OwnerToken make_owner_token() {
    OwnerToken token;
    crypto::random_bytes(token.bytes);
    return token;
}

}  // namespace onceward::id
