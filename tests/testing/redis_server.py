"""A redis-server of its own on a socket in a folder of its own, for tests in Python."""

import json
import pathlib
import shutil
import subprocess
import tempfile
import time


class Redis:
    def __init__(self, password=""):
        self.folder = tempfile.mkdtemp(prefix="lade_redis_", dir="/tmp")
        self.path = str(pathlib.Path(self.folder) / "redis.sock")
        self.url = "unix:" + self.path
        self.password = password
        self.process = None
        self.start()

    def start(self):
        """Empty; on the same socket as before."""
        words = ["--port", "0", "--unixsocket", self.path, "--save", "", "--appendonly", "no", "--dir", self.folder]
        if self.password:
            words += ["--requirepass", self.password]
        self.process = subprocess.Popen(["redis-server", *words], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        end = time.monotonic() + 30
        while self.ask("PING") != "PONG":
            assert time.monotonic() < end and self.process.poll() is None, "redis-server does not start"
            time.sleep(0.01)

    def kill(self):
        if self.process:
            self.process.kill()
            self.process.wait()
            pathlib.Path(self.path).unlink(missing_ok=True)
        self.process = None

    def stop(self):
        self.kill()
        shutil.rmtree(self.folder, ignore_errors=True)

    def ask(self, *words):
        login = ["--no-auth-warning", "-a", self.password] if self.password else []
        return subprocess.run(["redis-cli", "-s", self.path, *login, *words], capture_output=True, text=True, check=False).stdout.rstrip("\n")

    def progress(self, job):
        """What is shown of a job; None: nothing."""
        text = self.ask("GET", "import:progress:" + job)
        return json.loads(text) if text else None
