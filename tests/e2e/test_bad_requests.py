"""What clients get wrong, by accident or not."""

import gzip
import socket

from harness import HEADER, OnServer, ServerTest


class BadRequests(ServerTest):
    words = ("--workers", "2", "--max-upload-bytes", "200000")

    def raw(self, text, half_close=True):
        """Bytes as they are; gives all that comes back."""
        with socket.create_connection(("127.0.0.1", self.server.port), timeout=30) as connection:
            connection.sendall(text.encode() if isinstance(text, str) else text)
            if half_close:
                connection.shutdown(socket.SHUT_WR)
            answer = b""
            while piece := connection.recv(65536):
                answer += piece
        return answer

    def test_paths_and_methods(self):
        self.problem(self.client.get("/api/v1/nothing"), 404, "route_not_found")
        self.problem(self.client.get("/api/v1/imports/%ff"), 404, "route_not_found")
        self.problem(self.client.get("/api/v1/imports/%00"), 404, "route_not_found")
        self.problem(self.client.get("/api/v1/imports/..%2f..%2fetc"), 404, "job_not_found")
        refused = self.client.request("DELETE", "/api/v1/imports")
        self.problem(refused, 405, "method_not_allowed")
        self.assertEqual(sorted(refused.headers["Allow"].split(", ")), ["GET", "POST"])
        self.assertEqual(self.client.request("HEAD", "/api/v1/imports").body, b"")

    def test_json_and_types(self):
        post = lambda body, **headers: self.client.request("POST", "/api/v1/imports", body, {"Content-Type": "application/json", **headers})
        self.problem(post(b"{"), 400, "request_invalid")
        self.problem(post(b"[]"), 400, "request_invalid")
        self.problem(post(b"{}"), 400, "request_invalid")
        self.problem(post(b'{"definition": 7}'), 400, "request_invalid")
        self.assertIn("defnition", self.problem(post(b'{"defnition": "things"}'), 400, "option_unknown")["detail"])
        self.problem(post(b'{"definition": "unknown"}'), 404, "definition_not_found")
        self.problem(post(b'{"definition": "things", "results": "some"}'), 400, "request_invalid")
        self.problem(post(b'{"definition": "things", "max_errors": "many"}'), 400, "limit_invalid")
        self.problem(self.client.request("POST", "/api/v1/tokens", b"x=1", {"Content-Type": "application/x-www-form-urlencoded"}), 415,
                     "media_type_unsupported")
        self.problem(self.client.get("/api/v1/imports?limit=0"), 400, "request_invalid")
        self.problem(self.client.get("/api/v1/imports?limt=5"), 400, "option_unknown")
        self.problem(self.client.get("/api/v1/imports?status=unknown"), 400, "status_unknown")
        self.problem(self.client.get("/api/v1/imports?cursor=x"), 400, "request_invalid")

    def test_uploads(self):
        self.problem(self.client.upload("/api/v1/imports", "x", None, {"definition": "things"}), 400, "request_invalid")
        self.problem(self.client.upload("/api/v1/imports", "x.csv", b"", {"definition": "things"}), 422, "file_empty")
        self.problem(self.client.upload("/api/v1/imports", "x.csv", b"a", {"defnition": "things"}), 400, "option_unknown")
        self.problem(self.client.request("POST", "/api/v1/files", b"x", {"Content-Type": "multipart/form-data"}), 400, "request_invalid")
        broken = b'--b\r\nContent-Disposition: form-data; name="file"; filename="x"\r\n\r\nnever ended'
        self.problem(self.client.request("POST", "/api/v1/files", broken, {"Content-Type": "multipart/form-data; boundary=b"}), 400,
                     "multipart_invalid")
        self.assertEqual(self.client.get("/api/v1/files").json()["items"], [])
        zipped = self.submit_bytes("things.csv.gz", gzip.compress((HEADER + "a,first\n").encode()))
        self.assertEqual(self.wait_for(zipped)["rows"]["inserted"], 1)
        binary = self.wait_for(self.submit_bytes("things.csv", bytes(range(256)) * 10))
        self.assertEqual(binary["status"], "failed")
        self.assertTrue(binary["error"]["message"])

    def submit_bytes(self, name, content):
        answer = self.client.upload("/api/v1/imports", name, content, {"definition": "things"})
        self.assertEqual(answer.status, 202, answer.body)
        return answer.json()["job_id"]

    def test_a_body_that_is_too_large_is_refused_before_it_is_read(self):
        head = (f"POST /api/v1/files HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {self.client.token}\r\n"
                "Content-Length: 9000000000\r\nExpect: 100-continue\r\n\r\n")
        answer = self.raw(head, half_close=False)
        self.assertIn(b" 413 ", answer.split(b"\r\n")[0])
        self.assertNotIn(b"100 Continue", answer)
        self.problem(self.client.request("POST", "/api/v1/files", b"x" * 300000), 413, "body_too_large")
        self.problem(self.client.upload("/api/v1/files", "x", b"x" * 300000), 413, "upload_too_large")
        self.assertEqual(self.client.get("/api/v1/files").json()["items"], [])
        chunked = (f"POST /api/v1/files HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {self.client.token}\r\n"
                   "Transfer-Encoding: chunked\r\n\r\n").encode() + (b"10000\r\n" + b"x" * 0x10000 + b"\r\n") * 5 + b"0\r\n\r\n"
        self.assertIn(b" 413 ", self.raw(chunked).split(b"\r\n")[0])

    def test_forms_of_smuggling_are_refused(self):
        token = f"Authorization: Bearer {self.client.token}\r\n"
        for lines in ("Content-Length: 5\r\nTransfer-Encoding: chunked\r\n", "Content-Length: 5\r\nContent-Length: 6\r\n",
                      "Transfer-Encoding: chunked, identity\r\n", "Transfer-Encoding: xchunked\r\n", "Content-Length: +5\r\n",
                      "Content-Length : 5\r\n", "Content-Length: 5,5\r\n", " Folded: line\r\n", "Host: y\r\n"):
            answer = self.raw(f"POST /api/v1/files HTTP/1.1\r\nHost: x\r\n{token}{lines}\r\nhello0\r\n\r\n")
            self.assertRegex(answer.split(b"\r\n")[0], rb"HTTP/1.1 (400|411|501) ", lines)
            self.assertEqual(answer.count(b"HTTP/1.1 "), 1, lines)
        self.assertIn(b" 400 ", self.raw("GET /health HTTP/1.1\r\n\r\n").split(b"\r\n")[0])
        self.assertIn(b" 431 ", self.raw("GET /health HTTP/1.1\r\nHost: x\r\nX: " + "y" * 100000 + "\r\n\r\n").split(b"\r\n")[0])
        self.assertEqual(self.client.get("/api/v1/files").json()["items"], [])

    def test_names_of_files_are_text_only(self):
        for name in ("../../../etc/passwd", "..\\..\\boot.ini", "a/b/c.csv", "C:\\x.csv", "'; DROP TABLE lade_job; --", "ünïcode ☃.csv"):
            answer = self.client.upload("/api/v1/files", name.replace("\\", "\\\\"), b"x")
            self.assertEqual(answer.status, 201, answer.body)
            self.assertIn(answer.json()["name"], (name, name.replace("\\", "\\\\")))
            content = self.client.get(f"/api/v1/files/{answer.json()['file_id']}/content")
            self.assertRegex(content.headers["Content-Disposition"], r"^attachment; filename=\"[\w.-]+\"; filename\*=UTF-8''[\w.%-]+$")


class BadRequestsOnServer(OnServer, BadRequests):
    pass


