"""A proxy between the browser and `offers serve`, which records requests and can refuse writes."""

import socket
import threading


class Proxy:
    """A TCP proxy that forwards bytes. A write is a request with the method PUT or DELETE."""

    def __init__(self):
        self.upstream = 0
        # The HTTP status with which PUT and DELETE requests are answered; None forwards them.
        self.status = None
        # How the server seems to fail: "gateway" for a 503 of the proxy, "silent" for no response.
        self.outage = None
        self.writes = []
        # The first lines of all requests.
        self.requests = []
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
            # Browsers do not pipeline requests, so that each request begins at the start of a read.
            while data := client.recv(65536):
                if self.outage == "silent":
                    continue
                if self.outage == "gateway":
                    client.sendall(
                        b"HTTP/1.1 503 Unavailable\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
                    break
                method = data.split(b" ", 1)[0]
                self.requests.append(data.split(b"\r\n", 1)[0].decode("latin-1"))
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
