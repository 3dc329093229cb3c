"""Who may what: every route with every role, with tokens that lack its scope, and from another company. The matrix comes from the
table of routes itself (x-role, x-scope in /openapi.json), so no route is left out."""

from harness import ServerTest

ROLES = ("viewer", "operator", "reviewer", "admin")
# Answers that say nothing about rights: the request was understood, or refused for what it says.
UNDERSTOOD = {200, 201, 202, 204, 400, 404, 409, 412, 415, 422, 428}


class Rights(ServerTest):
    def setUp(self):
        super().setUp()
        self.job = self.submit(definition="reviewed")
        found = self.wait_for(self.job, "waiting_for_review")
        task = self.client.get(f"/api/v1/imports/{self.job}/tasks").json()["items"][0]["task_id"]
        self.submit(batch="monday", definition="reviewed", content="Code,Name\nx,y\n")
        token = self.admin.get("/api/v1/tokens").json()["items"][0]["token_id"]
        # What the {names} in paths stand for in this company.
        self.names = {"import": self.job, "version": "1", "file": found["file_id"], "slug": "reviewed", "batch": "monday", "task": task,
                      "user": "operator@example.com", "token": token, "which": "failed", "queue": "default", "webhook": "none",
                      "delivery": "none", "row": "1", "item": "none", "draft": self.client.post("/api/v1/drafts", {}).json()["draft_id"],
                      "node": self.client.get("/api/v1/nodes").json()["items"][0]["boot"]}

    def routes(self):
        for path, operations in self.description.document["paths"].items():
            for method, operation in operations.items():
                yield method.upper(), path.format(**self.names), operation

    def ask(self, client, method, path):
        """Without a body that would change anything: rights are checked before it is looked at."""
        body = None if method == "GET" else b"no json"
        kind = {} if method == "GET" else {"Content-Type": "application/json"}
        return client.request(method, path, body, kind)

    def test_nobody_gets_in_without_proof(self):
        nobody, liar = self.connect(), self.connect("lade_" + "0" * 43)
        for method, path, operation in self.routes():
            if operation.get("security") == []:
                continue
            for client in (nobody, liar):
                self.problem(self.ask(client, method, path), 401, "not_authenticated")

    def test_each_role_may_what_the_table_says(self):
        clients = {role: self.user(f"{role}@roles.example", role) for role in ROLES}
        for method, path, operation in self.routes():
            needed = operation.get("x-role")
            if needed is None or operation["operationId"] in ("sessions.end",):
                continue
            for role, client in clients.items():
                answer = self.ask(client, method, path)
                allowed = ROLES.index(role) >= ROLES.index(needed) and not operation.get("x-instance")
                name = f"{role}: {operation['operationId']}: {answer.status} {answer.body[:200]}"
                if allowed:
                    self.assertIn(answer.status, UNDERSTOOD, name)
                else:
                    self.assertEqual((answer.status, answer.json()["code"]), (403, "not_allowed"), name)

    def test_a_token_may_only_what_its_scopes_name(self):
        scopes = sorted({operation["x-scope"] for _, _, operation in self.routes() if operation.get("x-scope")} - {"*"})
        self.assertGreaterEqual(len(scopes), 8)
        for scope in scopes:
            client = self.connect(self.token("admin@example.com", scope))
            for method, path, operation in self.routes():
                needed = operation.get("x-scope")
                if not needed or operation.get("x-instance"):
                    continue
                answer = self.ask(client, method, path)
                name = f"{scope}: {operation['operationId']}: {answer.status} {answer.body[:200]}"
                self.assertEqual(answer.status == 403, needed != scope, name)

    def test_what_belongs_to_another_company_is_not_there(self):
        self.check(self.lade("companies", "create", "other"))
        stranger = self.user("boss@other.example", "admin", company="other")
        own = {"which", "queue"}  # names that every company has
        for method, path, operation in self.routes():
            template = next(t for t, ops in self.description.document["paths"].items() if operation in ops.values())
            names = {name for name in self.names if "{" + name + "}" in template} - own
            if not names or operation.get("x-instance"):
                continue
            if operation["operationId"] == "definitions.save":
                continue  # it makes the company's own
            body = {} if method == "POST" else b"" if method == "PUT" else None
            if method == "PATCH":
                body = {}
            answer = stranger.request(method, path, body, {"If-Match": '"0"'})
            self.assertEqual(answer.status, 404, f"{operation['operationId']}: {answer.status} {answer.body[:200]}")
        # And nothing has happened to it.
        self.assertEqual(self.client.get(f"/api/v1/imports/{self.job}").json()["status"], "waiting_for_review")
        self.assertEqual(self.client.get(f"/api/v1/files/{self.names['file']}").status, 200)
