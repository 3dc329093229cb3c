"""A private PostgreSQL that may be restarted without a shutdown."""

import os
import pathlib
import shutil
import subprocess
import tempfile

from runner.databases import Server

SCRIPT = pathlib.Path(__file__).resolve().parents[3] / "scripts" / "private_postgresql.sh"


class OwnServer(Server):
    """What it has committed survives the server, and need not survive the machine. Many workers have many sessions."""

    SETTINGS = "-c fsync=off -c max_connections=300"

    def __init__(self):
        self.folder = tempfile.mkdtemp(prefix="lade_pg_", dir="/tmp")
        super().__init__(SCRIPT, self.folder)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()

    def restart(self):
        control = pathlib.Path("/usr/lib/postgresql/15/bin/pg_ctl")
        program = str(control) if control.exists() else shutil.which("pg_ctl")
        user = ["runuser", "-u", "postgres", "--"] if os.getuid() == 0 else []
        subprocess.run([*user, program, "-D", f"{self.folder}/data", "-m", "immediate", "-w", "-l", f"{self.folder}/log", "restart"],
                       stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True, cwd="/")
