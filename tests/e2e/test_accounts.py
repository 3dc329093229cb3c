"""Signing in, tokens, users, companies, and the log of what they did."""


from harness import OnServer, ServerTest


class Accounts(ServerTest):
    def sign_in(self, client, path, body):
        answer = client.post(path, body)
        self.assertEqual(answer.status, 200, answer.body)
        cookie = answer.headers["Set-Cookie"]
        self.assertRegex(cookie, r"^__Host-lade=[\w-]{43}; Path=/; Secure; HttpOnly; SameSite=Lax$")
        return cookie.split(";")[0]

    def test_the_first_start_invites_the_first_admin_once(self):
        # The users of setUp() have no password: nobody can sign in yet.
        link = self.server.wait_for(r'"link": "([\w-]+)"')[1]
        browser = self.connect()
        self.problem(browser.post("/api/v1/auth/link", {"link": link, "password": "short"}), 400, "password_weak")
        cookie = self.sign_in(browser, "/api/v1/auth/link", {"link": link, "password": "a long enough password"})
        me = browser.get("/api/v1/auth/me", Cookie=cookie).json()
        self.assertEqual((me["role"], me["instance_admin"], me["via"]), ("admin", True, "session"))
        self.problem(browser.post("/api/v1/auth/link", {"link": link, "password": "a long enough password"}), 403, "link_invalid")
        self.server.stop()
        self.server = self.start()
        self.assertFalse([line for line in self.server.lines if "auth/link" in line])

    def test_a_session_is_only_for_pages_of_this_server(self):
        link = self.admin.post("/api/v1/users", {"email": "b@example.com", "role": "operator"}).json()["link"]
        token = link.removeprefix("/welcome/")
        browser = self.connect()
        self.sign_in(browser, "/api/v1/auth/link", {"link": token, "password": "correct horse battery"})
        self.problem(browser.post("/api/v1/auth/login", {"email": "b@example.com", "password": "wrong horse battery"}), 401, "login_failed")
        self.problem(browser.post("/api/v1/auth/login", {"email": "nobody@example.com", "password": "x"}), 401, "login_failed")
        cookie = self.sign_in(browser, "/api/v1/auth/login", {"email": "B@example.com", "password": "correct horse battery"})
        host = f"127.0.0.1:{self.server.port}"
        own = {"Cookie": cookie, "Origin": f"http://{host}", "Sec-Fetch-Site": "same-origin"}
        for foreign in ({"Origin": "http://evil.example"}, {"Sec-Fetch-Site": "cross-site"}, {"Sec-Fetch-Site": "same-site"},
                        {"Origin": "null"}, {}):
            answer = browser.post("/api/v1/imports", {"definition": "things"}, Cookie=cookie, **foreign)
            self.problem(answer, 403, "origin_refused")
        self.assertEqual(browser.post("/api/v1/imports", {"definition": "things"}, **own).status, 202)
        changed = browser.post("/api/v1/auth/password", {"old_password": "correct horse battery", "password": "another long password"}, **own)
        self.assertEqual(changed.status, 200, changed.body)
        self.problem(browser.get("/api/v1/auth/me", Cookie=cookie), 401, "not_authenticated")
        own["Cookie"] = changed.headers["Set-Cookie"].split(";")[0]
        self.assertEqual(browser.post("/api/v1/auth/logout", **own).status, 204)
        self.problem(browser.get("/api/v1/auth/me", Cookie=own["Cookie"]), 401, "not_authenticated")
        # A browser that still has the cookie of a session that is over can sign in again, and see whether the server is there.
        again = browser.post("/api/v1/auth/login", {"email": "b@example.com", "password": "another long password"}, **own)
        self.assertEqual(again.status, 200, again.body)
        self.assertEqual(browser.get("/health", Cookie=own["Cookie"]).status, 200)

    def test_tokens_are_limited_shown_once_and_revoked(self):
        created = self.client.post("/api/v1/tokens", {"name": "reader", "scopes": ["imports:read"], "days": 30})
        self.assertEqual(created.status, 201, created.body)
        text, token = created.json()["token"], created.json()["token_id"]
        reader = self.connect(text)
        self.assertEqual(reader.get("/api/v1/imports").status, 200)
        self.problem(reader.post("/api/v1/imports", {"definition": "things"}), 403, "not_allowed")
        self.problem(reader.post("/api/v1/tokens", {"name": "more", "scopes": ["imports:write"]}), 403, "not_allowed")
        self.assertNotIn(text.encode(), self.client.get("/api/v1/tokens").body)
        kept = self.client.post("/api/v1/tokens", {"name": "once", "scopes": ["imports:read"]}, **{"Idempotency-Key": "t"}).json()
        self.assertNotIn(kept["token"], str(self.target("SELECT body FROM lade_idempotency")))
        self.problem(self.client.post("/api/v1/tokens", {"name": "x", "scopes": ["nonsense"]}), 400, "token_scope_unknown")
        self.assertEqual(self.client.request("DELETE", f"/api/v1/tokens/{token}").status, 204)
        self.problem(reader.get("/api/v1/imports"), 401, "not_authenticated")
        self.problem(self.connect("lade_" + "x" * 43).get("/api/v1/imports"), 401, "not_authenticated")
        self.problem(self.client.get("/api/v1/imports", Authorization="Basic eDp5"), 401, "not_authenticated")

    def test_users_are_managed_by_admins(self):
        self.problem(self.client.get("/api/v1/users"), 403, "not_allowed")
        user = self.admin.post("/api/v1/users", {"email": "new@example.com", "name": "New", "role": "viewer"}).json()["user_id"]
        self.problem(self.admin.post("/api/v1/users", {"email": "new@example.com"}), 409, "user_exists")
        self.problem(self.admin.post("/api/v1/users", {"email": "x@example.com", "role": "king"}), 400, "request_invalid")
        self.assertEqual(self.admin.get(f"/api/v1/users/{user}").json()["role"], "viewer")
        self.assertEqual(self.admin.request("PATCH", f"/api/v1/users/{user}", {"role": "reviewer"}).json()["role"], "reviewer")
        self.assertEqual(self.admin.post(f"/api/v1/users/{user}/link").status, 201)
        client = self.connect(self.token("new@example.com"))
        self.assertEqual(client.get("/api/v1/auth/me").json()["role"], "reviewer")
        self.assertEqual(self.admin.request("PATCH", f"/api/v1/users/{user}", {"active": False}).json()["active"], False)
        self.problem(client.get("/api/v1/auth/me"), 401, "not_authenticated")
        self.problem(self.admin.request("PATCH", "/api/v1/users/admin@example.com", {"role": "viewer"}), 403, "not_allowed")
        self.assertIn("new@example.com", [one["email"] for one in self.admin.get("/api/v1/users").json()["items"]])

    def test_companies_are_apart(self):
        self.problem(self.admin.get("/api/v1/companies"), 403, "not_allowed")
        self.check(self.lade("companies", "create", "other", "--name", "Other Ltd"))
        other = self.user("boss@other.example", "admin", company="other")
        job = self.submit()
        self.wait_for(job)
        file = self.client.get(f"/api/v1/imports/{job}").json()["file_id"]
        for path in (f"/api/v1/imports/{job}", f"/api/v1/imports/{job}/rows", f"/api/v1/imports/{job}/events", f"/import-jobs/{job}",
                     f"/api/v1/queue/{job}", f"/api/v1/files/{file}", "/api/v1/definitions/things", "/api/v1/users/admin@example.com",
                     "/api/v1/tasks/1"):
            self.assertEqual(other.get(path).status, 404, path)
        for path in ("/api/v1/imports", "/api/v1/files", "/api/v1/definitions", "/api/v1/tasks", "/api/v1/batches"):
            self.assertEqual(other.get(path).json()["items"], [], path)
        self.problem(other.post(f"/api/v1/imports/{job}/cancel"), 404, "job_not_found")
        self.problem(other.post("/api/v1/imports", {"definition": "things"}), 404, "definition_not_found")
        self.problem(other.post("/api/v1/imports", {"definition": "things", "file_id": file}), 404, "file_not_found")
        saved = other.request("PUT", "/api/v1/definitions/things", (self.folder / "things.yaml").read_bytes(), {"Content-Type": "application/yaml"})
        self.assertEqual(saved.status, 201, saved.body)
        mine = self.submit("Code,Name\nz,theirs\n", client=other)
        found = self.wait_for(mine, client=other)
        self.assertEqual((found["status"], found["definition_version"]), ("succeeded", 1))
        self.assertEqual(self.client.get(f"/api/v1/imports/{mine}").status, 404)
        self.assertGreater(len(other.get("/api/v1/tasks").json()["items"]), 0)

    def test_some_see_only_their_own(self):
        mine = self.submit()
        self.wait_for(mine)
        self.assertEqual(self.admin.post("/api/v1/users", {"email": "own@example.com", "role": "operator", "sight": "own"}).status, 201)
        own = self.connect(self.token("own@example.com"))
        self.problem(own.get(f"/api/v1/imports/{mine}"), 404, "job_not_found")
        self.assertEqual(own.get("/api/v1/imports").json()["items"], [])
        batched = self.submit("Code,Name\nr,x\n", batch="monday")
        self.wait_for(batched)
        self.problem(own.get("/api/v1/batches/monday"), 404, "batch_not_found")
        self.problem(own.post("/api/v1/batches/monday/cancel"), 404, "batch_not_found")
        self.assertEqual(own.get("/api/v1/batches").json()["items"], [])
        self.problem(own.get("/api/v1/tasks"), 403, "not_allowed")
        file = self.client.get(f"/api/v1/imports/{mine}").json()["file_id"]
        self.problem(own.post("/api/v1/imports", {"definition": "things", "file_id": file}), 404, "file_not_found")
        theirs = self.submit("Code,Name\nq,x\n", client=own)
        self.assertEqual(self.wait_for(theirs, client=own)["status"], "succeeded")
        self.assertEqual([one["job_id"] for one in own.get("/api/v1/imports").json()["items"]], [theirs])
        self.assertEqual(self.client.get(f"/api/v1/imports/{theirs}").status, 200)
        project = self.admin.post("/api/v1/projects", {"slug": "bridge", "name": "The bridge"})
        self.assertEqual(project.status, 201, project.body)
        self.assertEqual([one["slug"] for one in self.client.get("/api/v1/projects").json()["items"]], ["bridge"])

    def test_everything_done_is_in_the_log(self):
        job = self.submit(definition="reviewed")
        self.wait_for(job, "waiting_for_review")
        self.client.post(f"/api/v1/imports/{job}/cancel")
        self.problem(self.client.post(f"/api/v1/imports/{job}/cancel"), 409, "transition_refused")
        entries = self.admin.get("/api/v1/audit?action=imports.*").json()["items"]
        self.assertEqual([(one["action"], one["actor"], one["object_id"]) for one in entries],
                         [("imports.cancel", "operator@example.com", job), ("imports.create", "operator@example.com", job)])
        self.assertEqual(self.admin.get("/api/v1/audit/verify").json()["intact"], True)
        self.check(self.lade("audit", "verify"))
        numbers = [one["number"] for one in self.admin.get("/api/v1/audit").json()["items"]]
        self.assertEqual(numbers, sorted(numbers, reverse=True))

    def test_secrets_are_not_logged(self):
        secret = "correct horse battery staple"
        self.connect().post("/api/v1/auth/login", {"email": "operator@example.com", "password": secret})
        self.connect().get("/api/v1/imports?token=" + secret.replace(" ", "-"))
        text = "\n".join(self.server.lines)
        for word in (secret, secret.replace(" ", "-"), self.client.token):
            self.assertNotIn(word, text)
        self.assertTrue(self.server.log("request"))


class AccountsOnServer(OnServer, Accounts):
    pass
