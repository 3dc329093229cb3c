"""Whole price lists through the addresses of Nexus: what a job says about its set, and the same file twice."""

from harness import ROOT, OnServer, ServerTest

SAMPLES = ROOT / "packs" / "price-lists" / "samples"
COMPONENTS = "price_list_components"


class PriceLists(ServerTest):
    def setUp(self):
        super().setUp()
        self.check(self.lade("packs", "install", "price-lists", "-q"))
        self.write_sql("INSERT INTO price_list (id, kind, name, is_active) VALUES (7, 'GOLDEN', 'GOLDEN 2026', true)")
        self.load("price_list", (SAMPLES / "price_list.csv").read_bytes())

    def write_sql(self, text):
        self.sql(text)

    def upload(self, definition, content):
        return self.client.upload("/import-jobs", "list.csv", content, {"definition": definition})

    def load(self, definition, content, status="succeeded"):
        answer = self.upload(definition, content)
        self.assertEqual(answer.status, 202, answer.body)
        self.wait_for(answer.json()["jobId"], *(() if status == "succeeded" else (status,)))
        return self.client.get(f"/import-jobs/{answer.json()['jobId']}").json()

    def test_a_job_says_which_set_it_replaces(self):
        found = self.load(COMPONENTS, (SAMPLES / f"{COMPONENTS}.csv").read_bytes())
        self.assertEqual((found["status"], found["resultJson"]["inserted"]), ("SUCCEEDED", 12))
        meta = found["metaJson"]
        self.assertEqual((meta["strategy"], meta["chunkCount"], meta["bucketCount"]), (COMPONENTS, 1, 1))
        self.assertEqual((meta["scope"], meta["version"]), ({"price_list_id": "7"}, 1))
        second = self.load(COMPONENTS, (SAMPLES / f"{COMPONENTS}_march.csv").read_bytes())
        self.assertEqual(second["metaJson"]["version"], 2)
        newest, oldest = self.client.get("/api/v1/versions").json()["items"]
        self.assertEqual((newest["state"], oldest["state"]), ("active", "retired"))
        back = self.admin.post(f"/api/v1/versions/{oldest['id']}/activate")
        self.assertEqual((back.status, back.json()["state"]), (200, "active"), back.body)
        self.problem(self.admin.post("/api/v1/versions/77/activate"), 404, "version_not_found")

    def test_the_same_file_again_is_a_conflict_while_it_waits(self):
        whole = (SAMPLES / f"{COMPONENTS}.csv").read_bytes()
        self.load(COMPONENTS, whole)
        short = b"\n".join(whole.split(b"\n")[:4]) + b"\n"
        waiting = self.load(COMPONENTS, short, "waiting_for_review")  # it lacks too many rows
        self.assertEqual((waiting["status"], waiting["message"]), ("RUNNING", "waiting for review"))
        self.problem(self.upload(COMPONENTS, short), 409, "job_exists")
        again = self.load(COMPONENTS, whole)  # another file, with what is stored
        self.assertEqual((again["status"], again["resultJson"]["unchanged"]), ("SUCCEEDED", 12), again)


class PriceListsOnServer(OnServer, PriceLists):
    def write_sql(self, text):
        self.query(text)
