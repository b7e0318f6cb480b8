"""A TCP relay between Onceward and a server. It can refuse, cut, hold and swallow, at once or when certain bytes pass by."""
import socket
import struct
import threading

from .patience import PATIENCE, scaled

TO_SERVER = "to server"
TO_CLIENT = "to client"


def _reset(connection):
    try:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        connection.shutdown(socket.SHUT_RDWR)
    except OSError:
        pass


class Relay:
    def __init__(self, target):
        self._target = target
        self._state = threading.Condition()
        self._pairs = set()
        self._down = False
        self._swallow = set()      # directions whose bytes are dropped
        self._lossy = set()        # pairs of which some were
        self._rules = {}           # direction → (marker, action); action: hold, cut before, cut after
        self._reached = threading.Event()
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=256)
        self.port = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def down(self):
        """Resets all connections, and each new one at once."""
        with self._state:
            self._down = True
            self._rules.clear()
            pairs = list(self._pairs)
            self._state.notify_all()
        for pair in pairs:
            for connection in pair:
                _reset(connection)

    def up(self):
        """Passes everything on again; what was held goes first. A connection that lost bytes is reset: no network forgets some
        and delivers what comes behind them."""
        with self._state:
            lossy = self._lossy & self._pairs
            self._lossy.clear()
            self._down = False
            self._swallow.clear()
            self._rules.clear()
            self._reached.clear()
            self._state.notify_all()
        for pair in lossy:
            for connection in pair:
                _reset(connection)

    def swallow(self, direction):
        """Bytes of this direction disappear: the other side seems hung."""
        with self._state:
            self._swallow.add(direction)

    def hold(self, direction, marker):
        """The piece with `marker` in it, and what follows on its connection, waits until `up`."""
        self._rule(direction, marker, "hold")

    def cut_before(self, direction, marker):
        """The connection is reset instead of passing on the piece with `marker`; all others too, and new ones refused."""
        self._rule(direction, marker, "cut before")

    def cut_after(self, direction, marker):
        """The same, after the piece was passed on: the server acts on it and its reply is lost. New connections are taken."""
        self._rule(direction, marker, "cut after")

    def wait_reached(self):
        """Until the marker has come by."""
        if not self._reached.wait(scaled(PATIENCE)):
            raise AssertionError("the marker has not come by")

    def close(self):
        self._listener.close()
        self.down()

    def _rule(self, direction, marker, action):
        with self._state:
            self._reached.clear()
            self._rules[direction] = (marker, action)

    def _accept(self):
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            with self._state:
                refused = self._down
            if refused:
                _reset(client)
                client.close()
                continue
            try:
                server = socket.create_connection(self._target)
            except OSError:
                _reset(client)
                client.close()
                continue
            for connection in (client, server):
                connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            pair = (client, server)
            with self._state:
                self._pairs.add(pair)
            threading.Thread(target=self._pump, args=(client, server, TO_SERVER, pair), daemon=True).start()
            threading.Thread(target=self._pump, args=(server, client, TO_CLIENT, pair), daemon=True).start()

    def _pump(self, source, sink, direction, pair):
        try:
            while True:
                data = source.recv(1 << 18)
                if not data or not self._pass_on(data, sink, direction, pair):
                    break
        except OSError:
            pass
        with self._state:
            self._pairs.discard(pair)
        for connection in pair:
            try:
                connection.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
        source.close()

    def _pass_on(self, data, sink, direction, pair):
        """False when the connection is to end."""
        with self._state:
            marker, action = self._rules.get(direction, (None, None))
            if marker is None or marker not in data:
                action = None
            else:
                self._reached.set()
            if action == "hold":
                self._state.wait_for(lambda: direction not in self._rules, scaled(4 * PATIENCE))
                if self._down:
                    return False
            if direction in self._swallow:
                self._lossy.add(pair)
                return True
        if action == "cut before":
            self.down()
            return False
        sink.sendall(data)
        if action == "cut after":
            with self._state:
                self._rules.pop(direction, None)
            for connection in pair:
                _reset(connection)
            return False
        return True
