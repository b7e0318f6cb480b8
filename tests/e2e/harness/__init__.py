"""What the end-to-end tests share: the real binary, a scripted upstream, a raw client, a real Redis, a relay that can fail."""
from .case import Case, for_each_store, main, new_key
from .certificates import Authority, TlsClient, TlsUpstream, client_context
from .client import Client, Cut, NotHttp
from .onceward import BINARY, Onceward
from .patience import SANITIZED, Background, Gate, eventually, scaled
from .relay import TO_CLIENT, TO_SERVER, Relay
from .tls_case import TlsCase
from .upstream import Upstream, by_attempt, created, gated, status

__all__ = ["Authority", "BINARY", "Background", "Case", "Client", "Cut", "Gate", "NotHttp", "Onceward", "Relay", "SANITIZED", "TO_CLIENT",
           "TO_SERVER", "TlsCase", "TlsClient", "TlsUpstream", "Upstream", "by_attempt", "client_context", "created", "eventually",
           "for_each_store", "gated", "main", "new_key", "scaled", "status"]
