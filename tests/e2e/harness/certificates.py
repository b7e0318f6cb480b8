"""Certificates that a test makes for itself, by the openssl command, and TLS clients and services that use them."""
import os
import socket
import ssl
import subprocess

from .client import Client
from .patience import PATIENCE, scaled
from .upstream import Upstream


class Identity:
    """A certificate with its key, as files in PEM."""

    def __init__(self, certificate, key):
        self.certificate = certificate
        self.key = key


class Authority(Identity):
    """Signs certificates. Its files lie in `directory`, under names that begin with `name`."""

    def __init__(self, directory, name="authority"):
        self.directory = directory
        self.name = name
        super().__init__(os.path.join(directory, name + ".pem"), os.path.join(directory, name + ".key"))
        self._serial = 1
        openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2", "-subj", "/CN=" + name,
                "-addext", "keyUsage=critical,keyCertSign,cRLSign",
                "-keyout", self.key, "-out", self.certificate)

    def issue(self, name, subject=None, alternative="DNS:localhost,IP:127.0.0.1", days=2):
        """An identity in files that begin with `name`; one whose days are negative has expired."""
        self._serial += 1
        stem = os.path.join(self.directory, name)
        request, extensions = stem + ".csr", stem + ".ext"
        with open(extensions, "w", encoding="ascii") as file:
            file.write("basicConstraints=CA:FALSE\nauthorityKeyIdentifier=keyid\n" +
                       ("subjectAltName=%s\n" % alternative if alternative else ""))
        openssl("req", "-new", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", subject or "/CN=" + name,
                "-keyout", stem + ".key", "-out", request)
        openssl("x509", "-req", "-in", request, "-CA", self.certificate, "-CAkey", self.key, "-set_serial", str(self._serial),
                *validity(days), "-extfile", extensions, "-out", stem + ".pem")
        return Identity(stem + ".pem", stem + ".key")


def validity(days):
    """Options of `openssl x509`. From version 3.4 on it takes no negative days, and dates instead."""
    if days < 0 and "-not_after" in openssl("x509", "-help"):
        return ["-not_before", "20200101000000Z", "-not_after", "20200102000000Z"]
    return ["-days", str(days)]


def openssl(*arguments):
    done = subprocess.run(["openssl", *arguments], check=True, capture_output=True, timeout=scaled(30), text=True)
    return done.stdout + done.stderr


def client_context(authority, identity=None):
    context = ssl.create_default_context(cafile=authority.certificate)
    if identity:
        context.load_cert_chain(identity.certificate, identity.key)
    return context


class TlsClient(Client):
    """One connection to `address`, with a handshake unless `context` is nothing; `before` goes in front of it, in plain."""

    def __init__(self, address, context, name="localhost", session=None, before=b"", seconds=2 * PATIENCE):
        super().__init__(address, seconds)
        try:
            self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self.socket.sendall(before)
            self.socket = context.wrap_socket(self.socket, server_hostname=name, session=session, suppress_ragged_eofs=False)
        except OSError:
            self.socket.close()
            raise

    def _fill(self):
        try:
            super()._fill()
        except ssl.SSLEOFError:
            self._cut("ended without a close_notify", False)


class TlsBytes:
    """TLS over a connected socket, for one client that ends its own side alone: an `SSLSocket` waits for the other end then."""

    def __init__(self, plain, context, name):
        self._plain = plain
        self._incoming, self._outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        self._tls = context.wrap_bio(self._incoming, self._outgoing, server_hostname=name)
        self._do(self._tls.do_handshake)

    def _do(self, step, *arguments):
        while True:
            try:
                return step(*arguments)
            except ssl.SSLWantReadError:
                self._flush()
                data = self._plain.recv(65536)
                self._incoming.write(data) if data else self._incoming.write_eof()
            finally:
                self._flush()

    def _flush(self):
        self._plain.sendall(self._outgoing.read())

    def sendall(self, data):
        self._do(self._tls.write, data)

    def recv(self, size):
        try:
            return self._do(self._tls.read, size)
        except ssl.SSLZeroReturnError:
            return b""

    def say_end(self):
        try:
            self._tls.unwrap()
        except ssl.SSLWantReadError:
            pass  # the other side has not ended yet
        self._flush()

    def close(self):
        self._plain.close()


class HalfClosingTlsClient(Client):
    """A client that may end its side and read on."""

    def __init__(self, address, context, name="localhost", seconds=2 * PATIENCE):
        super().__init__(address, seconds)
        plain = self.socket
        try:
            self.socket = TlsBytes(plain, context, name)
        except OSError:
            plain.close()
            raise

    def half_close(self):
        self.socket.say_end()


class TlsUpstream(Upstream):
    """A service that speaks TLS. Counts its handshakes, and how many went on with an earlier session."""

    def __init__(self, handler, identity, client_ca=None):
        self.handshakes = 0
        self.resumed = 0
        self.names = []
        self.failures = []
        self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.use(identity)
        self.context.set_alpn_protocols(["http/1.1"])
        self.context.sni_callback = lambda connection, name, context: self.names.append(name)
        if client_ca:
            self.context.verify_mode = ssl.CERT_REQUIRED
            self.context.load_verify_locations(client_ca.certificate)
        super().__init__(handler)

    def use(self, identity):
        self.context.load_cert_chain(identity.certificate, identity.key)

    @property
    def url(self):
        return "https://localhost:%d" % self.port

    def _serve(self, connection):
        try:
            connection = self.context.wrap_socket(connection, server_side=True, suppress_ragged_eofs=False)
        except OSError as error:
            self.failures.append(str(error))
            connection.close()
            return
        with self._changed:
            self.handshakes += 1
            self.resumed += connection.session_reused
        super()._serve(connection)
