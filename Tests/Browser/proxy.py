"""A proxy between a browser and `offers serve` that counts what is written, and can refuse it."""

import socket
import threading


class Proxy:
    """Passes bytes on, connection by connection."""

    def __init__(self):
        self.upstream = 0
        # What writes are answered with in the server's place; None lets them pass.
        self.status = None
        self.writes = []
        self.refused = 0
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self.serve, args=(client,), daemon=True).start()

    def serve(self, client):
        try:
            server = socket.create_connection(("127.0.0.1", self.upstream), timeout=60)
        except OSError:
            return client.close()
        server.settimeout(None)
        threading.Thread(target=self.copy, args=(server, client), daemon=True).start()
        try:
            # A browser sends no request behind another one before that is answered, so that each
            # begins a piece of its own; where its fields end does not matter here.
            while data := client.recv(65536):
                method = data.split(b" ", 1)[0]
                if method in (b"PUT", b"DELETE"):
                    if self.status:
                        self.refused += 1
                        client.sendall(
                            f"HTTP/1.1 {self.status} Refused\r\nContent-Length: 0\r\n"
                            "Connection: close\r\n\r\n".encode())
                        break
                    self.writes.append(data.split(b"\r\n", 1)[0].decode())
                server.sendall(data)
        except OSError:
            pass
        self.end(server, client)

    def copy(self, server, client):
        try:
            while data := server.recv(65536):
                client.sendall(data)
        except OSError:
            pass
        self.end(server, client)

    @staticmethod
    def end(*ends):
        for each in ends:
            try:
                each.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
            each.close()

    def close(self):
        self.listener.close()
