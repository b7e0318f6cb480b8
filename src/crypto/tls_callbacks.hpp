#pragma once

#include <openssl/ssl.h>

namespace onceward::crypto {

/// Chooses `http/1.1` of what a client offers by ALPN. One that offers only others is refused (RFC 7301 section 3.2).
int select_protocol(SSL* ssl, const unsigned char** chosen, unsigned char* size, const unsigned char* offered,
                    unsigned offered_size, void* argument);

/// Gives a session that a service has granted to the engine's `TlsSessions`. 1: it was kept.
int keep_session(SSL* ssl, SSL_SESSION* session);

}  // namespace onceward::crypto
