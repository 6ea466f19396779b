"""A web server on loopback, for scenes and hostile feeds."""

import http.server
import threading


class Web:
    """Answers each GET by a function that writes to the handler, until it is closed."""

    def __init__(self, answer):
        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(handler):
                try:
                    answer(handler)
                except OSError:
                    # A killed or wary client has closed the connection.
                    pass

            def log_message(self, *_):
                pass

        class Server(http.server.ThreadingHTTPServer):
            daemon_threads = True

            def handle_error(self, *_):
                pass

        self._server = Server(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def close(self):
        self._server.shutdown()
        self._server.server_close()
