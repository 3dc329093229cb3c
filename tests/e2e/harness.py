"""Starts the real lade with its server, and talks to it over real sockets. Every answer is compared with /openapi.json."""

import http.client
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import urllib.parse
import uuid

import jsonschema

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tests" / "cli"))
from program import DEFINITION, HEADER, LADE, SCHEMA, OnServer, ProgramTest  # noqa: E402  pylint: disable=wrong-import-position

REVIEWED = DEFINITION.replace("definition: things", "definition: reviewed\nreview: always")
SEEN = set()  # operations that some test has used, for test_openapi


class Answer:
    def __init__(self, response):
        self.status = response.status
        self.headers = response.headers
        self.body = response.read()

    def json(self):
        return json.loads(self.body)


class Description:
    """What /openapi.json promises, to check answers against."""

    def __init__(self, document):
        self.document = document
        self.patterns = []
        SEEN.add("root.openapi")
        for path, operations in document["paths"].items():
            pattern = re.compile("^" + re.sub(r"\\{\w+\\}", "[^/]+", re.escape(path)) + "$")
            self.patterns.append((path.count("{"), pattern, path, operations))
        self.patterns.sort(key=lambda entry: entry[0])  # literal segments win over names

    def operation(self, method, path):
        wanted = "get" if method == "HEAD" else method.lower()
        for _, pattern, _, operations in self.patterns:
            if pattern.match(path) and wanted in operations:
                return operations[wanted]
        return None

    def check(self, method, path, answer):
        operation = self.operation(method, path)
        if operation is None or method == "HEAD":
            return
        SEEN.add(operation["operationId"])
        kind = answer.headers.get_content_type() if answer.headers.get("Content-Type") else None
        promised = operation["responses"].get(str(answer.status))
        if promised is None:
            assert answer.status >= 400, f"{method} {path} answered {answer.status}, which is not described"
            self.validate(answer.json(), {"$ref": "#/components/schemas/Problem"})
            assert kind == "application/problem+json", kind
            return
        content = promised.get("content")
        if content is None:
            assert answer.body == b"", answer.body[:200]
            return
        if kind == "text/event-stream":
            return
        assert kind in content, f"{method} {path} answered with {kind}, not with {list(content)}"
        if kind == "application/json":
            self.validate(answer.json(), content[kind]["schema"])

    def validate(self, value, schema):
        whole = {"components": self.document["components"], **schema}
        jsonschema.Draft202012Validator(whole).validate(value)


class Client:
    def __init__(self, port, token=None, description=None):
        self.port, self.token, self.description = port, token, description
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=180)

    def request(self, method, path, body=None, headers=None):
        headers = dict(headers or {})
        if self.token and "Authorization" not in headers:
            headers["Authorization"] = "Bearer " + self.token
        if isinstance(body, (dict, list)):
            body = json.dumps(body).encode()
            headers.setdefault("Content-Type", "application/json")
        try:
            self.connection.request(method, path, body=body, headers=headers)
            answer = Answer(self.connection.getresponse())
        except (http.client.HTTPException, OSError):
            self.connection.close()
            raise
        if self.description:
            self.description.check(method, path.split("?")[0], answer)
        return answer

    def get(self, path, **headers):
        return self.request("GET", path, headers=headers)

    def post(self, path, body=None, **headers):
        return self.request("POST", path, {} if body is None else body, headers)

    def upload(self, path, name, content, fields=None, kind="text/csv"):
        boundary = uuid.uuid4().hex
        parts = [f'--{boundary}\r\nContent-Disposition: form-data; name="{key}"\r\n\r\n{value}\r\n'.encode()
                 for key, value in (fields or {}).items()]
        if content is not None:
            head = f'--{boundary}\r\nContent-Disposition: form-data; name="file"; filename="{name}"\r\nContent-Type: {kind}\r\n\r\n'
            parts.append(head.encode() + content + b"\r\n")
        parts.append(f"--{boundary}--\r\n".encode())
        return self.request("POST", path, b"".join(parts), {"Content-Type": f"multipart/form-data; boundary={boundary}"})

    def close(self):
        self.connection.close()


class Stream:
    """A text/event-stream, read event by event."""

    def __init__(self, client, path, **headers):
        self.connection = http.client.HTTPConnection("127.0.0.1", client.port, timeout=60)
        self.connection.request("GET", path, headers={"Accept": "text/event-stream", "Authorization": "Bearer " + client.token, **headers})
        self.response = self.connection.getresponse()
        self.status = self.response.status

    def __iter__(self):
        event = {}
        for line in self.response:
            text = line.decode().rstrip("\r\n")
            if not text:
                if event:
                    yield event
                event = {}
            elif not text.startswith(":"):
                name, _, value = text.partition(":")
                value = value.removeprefix(" ")
                event[name] = event[name] + "\n" + value if name in event else value

    def close(self):
        self.connection.close()


class Process:
    """lade serve, or lade worker."""

    def __init__(self, words, folder, **environment):
        clean = {name: value for name, value in os.environ.items() if not name.startswith("LADE_")}
        self.lines = []
        self.process = subprocess.Popen([str(LADE), *map(str, words)], cwd=folder, env=clean | environment, stdin=subprocess.DEVNULL,
                                        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, errors="replace")
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()

    def read(self):
        for line in self.process.stderr:
            self.lines.append(line.rstrip("\n"))

    def wait_for(self, pattern, seconds=120):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            for line in list(self.lines):
                if found := re.search(pattern, line):
                    return found
            if self.process.poll() is not None:
                break
            time.sleep(0.02)
        raise AssertionError(f"{pattern} was not said:\n" + "\n".join(self.lines[-30:]))

    def log(self, event):
        found = []
        for line in list(self.lines):
            if line.startswith("{") and (entry := json.loads(line))["event"] == event:
                found.append(entry)
        return found

    def resident_kilobytes(self, peak=False):
        for line in pathlib.Path(f"/proc/{self.process.pid}/status").read_text().splitlines():
            if line.startswith("VmHWM:" if peak else "VmRSS:"):
                return int(line.split()[1])
        raise AssertionError("no such process")

    def kill(self):
        self.process.kill()
        self.process.wait()
        self.reader.join(5)
        self.process.stderr.close()

    def stop(self, seconds=60):
        """As an operator would; gives the exit code."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        code = self.process.wait(seconds)
        self.reader.join(5)
        self.process.stderr.close()
        output = "\n".join(self.lines)
        assert "Sanitizer" not in output and "runtime error" not in output, output
        return code


class Server(Process):
    def __init__(self, folder, url, *words, port=0, **environment):
        super().__init__(["serve", "--port", port, "--database", url, *words], folder, **environment)
        self.port = int(self.wait_for(r"lade serves .* at https?://[\d.]+:(\d+)")[1])


class ServerTest(ProgramTest):
    """A company with its definitions, a server, and somebody for each role."""

    words = ("--workers", "2")

    @classmethod
    def setUpClass(cls):
        """LADE_E2E=sqlite or postgresql: only the tests on that database, so that two processes can share them."""
        own = "postgresql" if issubclass(cls, OnServer) else "sqlite"
        if os.environ.get("LADE_E2E", own) != own:
            raise unittest.SkipTest("another process runs it")
        super().setUpClass()

    def setUp(self):
        super().setUp()
        self.write("reviewed.yaml", REVIEWED)
        for name in ("things.yaml", "reviewed.yaml"):
            self.check(self.lade("definitions", "add", name))
        self.server = self.start()
        anybody = Client(self.server.port)
        self.description = Description(anybody.get("/openapi.json").json())
        anybody.close()
        self.admin = self.user("admin@example.com", "admin")
        self.client = self.user("operator@example.com", "operator")

    def start(self, *words, port=0):
        server = Server(self.folder, self.url, *(words or self.words), port=port)
        self.addCleanup(self.end, server)
        return server

    def end(self, server):
        if server.process.poll() is None:
            self.assertEqual(server.stop(), 0)

    def check(self, result):
        code, output = result
        self.assertEqual(code, 0, output)
        return output

    def token(self, email, *scopes):
        words = [word for scope in scopes or ("*",) for word in ("--scope", scope)]
        return self.json("tokens", "create", f"for {email}", "--user", email, *words)["token"]

    def user(self, email, role, *scopes, company="default"):
        self.check(self.lade("users", "create", email, "--role", role, "--company", company))
        return self.connect(self.token(email, *scopes))

    def connect(self, token=None, server=None):
        client = Client((server or self.server).port, token, self.description)
        self.addCleanup(client.close)
        return client

    def submit(self, content=HEADER + "a,first\nb,second\n", definition="things", name="things.csv", client=None, **fields):
        answer = (client or self.client).upload("/api/v1/imports", name, content.encode(), {"definition": definition, **fields})
        self.assertEqual(answer.status, 202, answer.body)
        return answer.json()["job_id"]

    def wait_for(self, job, *statuses, client=None, seconds=180):
        statuses = statuses or ("succeeded", "failed", "cancelled", "rejected")
        end = time.monotonic() + seconds
        while True:
            found = (client or self.client).get(f"/api/v1/imports/{job}").json()
            if found["status"] in statuses:
                return found
            self.assertLess(time.monotonic(), end, found)
            time.sleep(0.05)

    def problem(self, answer, status, code):
        self.assertEqual((answer.status, answer.json().get("code")), (status, code), answer.body[:500])
        return answer.json()

    def things(self):
        return sorted(self.target("SELECT code, name FROM thing"))

    def target(self, text):
        return self.query(text) if hasattr(self, "query") else [tuple(map(str, row)) for row in self.sql(text)]
