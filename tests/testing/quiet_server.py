"""A web server for tests whose clients may go away in the middle: they are killed, they cancel, they run out of time."""

import http.server
import sys


class QuietServer(http.server.ThreadingHTTPServer):
    """Serves each connection in a thread of its own. Says nothing about clients that hung up, and all about faults of its handler."""

    daemon_threads = True
    request_queue_size = 512

    def handle_error(self, request, client_address):
        if not isinstance(sys.exc_info()[1], ConnectionError):
            super().handle_error(request, client_address)
