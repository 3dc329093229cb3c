"""Webhooks: a receiver of its own hears, signed, what happens to an import."""

import http.server
import json
import pathlib
import re
import sys
import threading
import time

from harness import OnServer, Server, ServerTest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tests" / "testing"))
from quiet_server import QuietServer  # noqa: E402  pylint: disable=wrong-import-position

# is_genuine() as the documentation gives it to receivers.
RECEIPT = re.search(r"```python\n(.*?)```", (ROOT / "docs" / "webhooks.md").read_text(), re.S)[1]


class Receiver:
    """Answers with the statuses it is given, one after another, then always with the last."""

    def __init__(self, *statuses):
        self.requests = []
        receiver = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                status = statuses[min(len(receiver.requests), len(statuses) - 1)]
                receiver.requests.append(({name.lower(): value for name, value in self.headers.items()}, body))
                self.send_response(status)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_):
                pass

        self.server = QuietServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/hook"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self):
        self.server.shutdown()
        self.server.server_close()


class Webhooks(ServerTest):
    def start(self, *words):
        server = Server(self.folder, self.url, *(words or self.words), WEBHOOK_ALLOW_PRIVATE="true")
        self.addCleanup(self.end, server)
        return server

    def receiver(self, *statuses):
        receiver = Receiver(*statuses)
        self.addCleanup(receiver.close)
        return receiver

    def hook(self, url, *events):
        answer = self.admin.post("/api/v1/webhooks", {"url": url, "events": list(events)})
        self.assertEqual(answer.status, 201, answer.body)
        return answer.json()

    def deliveries(self, hook, query=""):
        return self.admin.get(f"/api/v1/webhooks/{hook['webhook_id']}/deliveries{query}").json()["items"]

    def wait_until_sent(self, hook, count):
        end = time.monotonic() + 60
        while True:
            found = self.deliveries(hook)
            if len(found) >= count and all(one["status"] != "pending" for one in found):
                return found
            self.assertLess(time.monotonic(), end, found)
            time.sleep(0.05)

    def test_every_event_of_an_import_arrives_signed(self):
        receiver = self.receiver(200)
        hook = self.hook(receiver.url)
        job = self.submit()
        self.wait_for(job)
        happened = self.client.get(f"/api/v1/imports/{job}/events").json()["items"]
        sent = self.wait_until_sent(hook, len(happened))
        self.assertEqual([one["event"] for one in reversed(sent)], [one["event"] for one in happened])
        self.assertEqual({one["status"] for one in sent}, {"delivered"})
        names = {}
        exec(RECEIPT, names)  # pylint: disable=exec-used
        for headers, body in receiver.requests:
            self.assertTrue(names["is_genuine"](hook["secret"], headers, body))
            self.assertFalse(names["is_genuine"](hook["secret"], headers, body + b" "))
            event = json.loads(body)
            self.assertEqual((event["id"], event["data"]["job_id"]), (headers["webhook-id"], job))
        last = max((json.loads(body) for _, body in receiver.requests), key=lambda event: event["data"]["event"])
        self.assertEqual((last["type"], last["data"]["status"], last["data"]["rows"]["inserted"]), ("lade.import.completed", "succeeded", 2))
        self.assertNotIn(hook["secret"], "\n".join(self.server.lines))

    def test_webhooks_are_made_changed_and_deleted(self):
        receiver = self.receiver(410, 200)
        hook = self.hook(receiver.url, "failed")
        path = f"/api/v1/webhooks/{hook['webhook_id']}"
        self.assertRegex(hook["secret"], r"^whsec_[A-Za-z0-9+/]{43}=$")
        shown = self.admin.get(path).json()
        self.assertNotIn("secret", shown)
        self.assertEqual((shown["events"], shown["active"], shown["created_by"]), (["failed"], True, "admin@example.com"))
        ping = self.admin.post(f"{path}/test")
        self.assertEqual((ping.status, ping.json()["event"], ping.json()["status"]), (202, "ping", "pending"))
        self.assertEqual(self.wait_until_sent(hook, 1)[0]["last_status"], 410)
        self.assertEqual(self.admin.get(path).json()["active"], False)
        changed = self.admin.request("PATCH", path, {"active": True, "events": []}).json()
        self.assertEqual((changed["active"], changed["events"]), (True, []))
        again = self.admin.post(f"{path}/deliveries/{ping.json()['delivery_id']}/retry")
        self.assertEqual((again.status, again.json()["delivery_id"]), (202, ping.json()["delivery_id"]))
        self.assertEqual(self.wait_until_sent(hook, 1)[0]["status"], "delivered")
        self.assertEqual(json.loads(receiver.requests[1][1])["type"], "lade.ping")
        self.assertEqual(self.deliveries(hook, "?status=failed&limit=1"), [])
        self.assertEqual(len(self.admin.get("/api/v1/webhooks").json()["items"]), 1)
        self.assertEqual(self.admin.request("DELETE", path).status, 204)
        self.problem(self.admin.get(path), 404, "webhook_not_found")

    def test_what_makes_no_sense_is_refused(self):
        self.problem(self.admin.post("/api/v1/webhooks", {"url": "ftp://example.com"}), 400, "webhook_url_invalid")
        self.problem(self.admin.post("/api/v1/webhooks", {"url": "https://a:b@example.com"}), 400, "webhook_url_invalid")
        self.problem(self.admin.post("/api/v1/webhooks", {"url": "https://example.com", "events": ["x"]}), 400, "webhook_event_unknown")
        self.problem(self.admin.post("/api/v1/webhooks", {}), 400, "request_invalid")
        path = f"/api/v1/webhooks/{self.hook('https://example.com')['webhook_id']}"
        self.problem(self.admin.post(f"{path}/deliveries/nothing/retry"), 404, "delivery_not_found")
        self.problem(self.admin.get(f"{path}/deliveries?status=lost"), 400, "status_unknown")


class WebhooksOnServer(OnServer, Webhooks):
    pass
