"""The S3 storage of tests/testing/s3_server.py, for tests in Python."""

import json
import pathlib
import subprocess
import sys

KEYS = {"AWS_ACCESS_KEY_ID": "S3RVER", "AWS_SECRET_ACCESS_KEY": "S3RVER"}


class Storage:
    def __init__(self):
        self.process = subprocess.Popen([sys.executable, str(pathlib.Path(__file__).with_name("s3_server.py"))], text=True,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.endpoint = json.loads(self.process.stdout.readline())["endpoint"]

    def url(self, prefix, bucket="lade-test"):
        return f"s3://{bucket}/{prefix}?endpoint={self.endpoint}"

    def fail(self, kind, rate=1.0, path=""):
        return self.ask({"faults": kind, "rate": rate, "path": path})

    def ask(self, command=None):
        """What happened since the last time."""
        self.process.stdin.write(json.dumps(command or {}) + "\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())

    def stop(self):
        self.process.stdin.close()
        self.process.wait(20)
        self.process.stdout.close()
