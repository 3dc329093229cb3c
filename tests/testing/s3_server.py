#!/usr/bin/env python3
"""A storage that speaks S3, for tests: s3rver, behind a proxy that can make it fail.

  s3_server.py [--behind ENDPOINT]     with --behind only the proxy, in front of another storage

Writes {"endpoint": …} as its first line. Then takes commands on standard input, one JSON object a line, and answers each with one line:
  {"faults": KIND, "rate": 0.2, "seed": 1, "path": TEXT}   what happens from now on, to that part of the calls whose target has the text
  {}                                                       {"calls": N, "failed": M, "seen": [METHOD TARGET, …]} since the last command
Ends with standard input. Kinds: none, busy (503), lost (carried out, but the connection breaks before the answer), cut (half of the body),
skewed (the clocks differ), late (200 with an error in it), mixed (busy, lost, cut and broken connections in turn).
"""

import argparse
import http.client
import http.server
import json
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import urllib.parse

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
BUCKET = "lade-test"
ERROR = '<?xml version="1.0"?><Error><Code>{}</Code><Message>{}</Message>{}</Error>'
MIXED = ["busy", "lost", "cut", "broken"]


class Faults:
    def __init__(self):
        self.lock = threading.Lock()
        self.set({})

    def set(self, command):
        with self.lock:
            self.kind = command.get("faults", "none")
            self.rate = command.get("rate", 1.0)
            self.path = command.get("path", "")
            self.random = random.Random(command.get("seed", 1))
            self.calls = self.failed = 0
            self.seen = []

    def state(self):
        with self.lock:
            state = {"calls": self.calls, "failed": self.failed, "seen": self.seen}
            self.calls, self.failed, self.seen = 0, 0, []
            return state

    def next(self, method, target):
        """What happens to this call."""
        with self.lock:
            self.calls += 1
            self.seen.append(f"{method} {target}")
            if self.kind == "none" or self.path not in target or self.random.random() >= self.rate:
                return None
            self.failed += 1
            return self.random.choice(MIXED) if self.kind == "mixed" else self.kind


class Proxy(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    faults = Faults()
    backend = None
    conditions = threading.Lock()

    def log_message(self, *_):
        pass

    def handle_any(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        fault = self.faults.next(self.command, self.path)
        if fault == "busy":
            return self.answer(503, ERROR.format("SlowDown", "Reduce your request rate.", ""), {"Retry-After": "0"})
        if fault == "skewed":
            return self.answer(403, ERROR.format("RequestTimeTooSkewed", "The clocks differ.", "<ServerTime>2001-02-03T04:05:06Z</ServerTime>"))
        if fault == "late":
            return self.answer(200, ERROR.format("InternalError", "We encountered an internal error.", ""))
        if fault == "broken":
            return self.hang_up()
        if self.headers.get("If-None-Match") == "*":
            status, headers, content = self.put_new(body)
        else:
            status, headers, content = self.forward(body)
        if fault == "lost":
            return self.hang_up()
        self.answer(status, content, headers, cut=fault == "cut")

    do_GET = do_PUT = do_POST = do_DELETE = do_HEAD = handle_any

    def hang_up(self):
        self.close_connection = True

    def put_new(self, body):
        """Conditional writes, which S3 has and s3rver passes over."""
        with self.conditions:
            if self.forward(b"", "HEAD")[0] in (200, 304):
                return 412, {}, ERROR.format("PreconditionFailed", "The object exists.", "")
            return self.forward(body)

    def forward(self, body, method=None):
        connection = http.client.HTTPConnection(self.backend, timeout=60)
        connection.putrequest(method or self.command, self.path, skip_host=True, skip_accept_encoding=True)
        for name, value in self.headers.items():
            if name.lower() not in ("connection", "expect") and not (method == "HEAD" and name.lower() == "content-length"):
                connection.putheader(name, value)
        connection.endheaders(body or None)
        response = connection.getresponse()
        kept = {name: value for name, value in response.getheaders() if name.lower() not in ("connection", "transfer-encoding", "keep-alive")}
        content = response.read()
        connection.close()
        return response.status, kept, content

    def answer(self, status, content, headers=None, cut=False):
        content = content.encode() if isinstance(content, str) else content
        self.send_response_only(status)
        headers = dict(headers or {})
        if self.command != "HEAD" and status != 204:
            headers = {name: value for name, value in headers.items() if name.lower() != "content-length"}
            headers["Content-Length"] = str(len(content))
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        if cut and content:
            self.wfile.write(content[:len(content) // 2])
            self.hang_up()
        elif self.command != "HEAD":
            self.wfile.write(content)


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *_):
        pass  # clients that went away


def start_s3rver(folder):
    subprocess.run([str(ROOT / "scripts" / "install_node_tools.sh")], check=True, stdout=subprocess.DEVNULL)
    program = ROOT / "build" / "node" / "node_modules" / "s3rver" / "bin" / "s3rver.js"
    # For the tokens by which it lists the next page it takes a cipher that OpenSSL 3 has put aside.
    process = subprocess.Popen(["node", "--openssl-legacy-provider", str(program), "-d", folder, "-a", "127.0.0.1", "-p", "0",
                                "--configure-bucket", BUCKET], stdin=subprocess.DEVNULL,
                               stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    for line in process.stdout:
        if found := re.search(r"listening on \S*?(\d+)\s*$", line.strip()):
            threading.Thread(target=process.stdout.read, daemon=True).start()
            return process, f"127.0.0.1:{found.group(1)}"
    raise SystemExit("s3rver did not start")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--behind", help="the endpoint of another storage")
    arguments = parser.parse_args()
    folder = tempfile.mkdtemp(prefix="lade_s3_")
    process = None
    try:
        if arguments.behind:
            Proxy.backend = urllib.parse.urlsplit(arguments.behind).netloc
        else:
            process, Proxy.backend = start_s3rver(folder)
        server = Server(("127.0.0.1", 0), Proxy)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        print(json.dumps({"endpoint": f"http://127.0.0.1:{server.server_address[1]}"}), flush=True)
        for line in sys.stdin:
            command = json.loads(line)
            state = Proxy.faults.state()
            if "faults" in command:
                Proxy.faults.set(command)
            print(json.dumps(state), flush=True)
    finally:
        if process:
            process.kill()
            process.wait()
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
