"""A psql that stays open: scenarios ask small questions many times, and starting a program for each would starve what they watch."""

import json
import os
import subprocess

END = "-- end of the answer --"


class Session:
    """Opened when first asked, and again after the server has closed it."""

    def __init__(self, url: str):
        self.url = url
        self.process = None

    def rows(self, sql: str):
        """The rows of a query as dictionaries. None: the server did not answer."""
        answer = self.ask(f"SELECT coalesce(json_agg(q), '[]') FROM ({sql}) AS q;")
        return None if answer is None else json.loads(answer)

    def ask(self, sql: str):
        if self.process is None:
            environment = dict(os.environ, PGTZ="UTC", PGCLIENTENCODING="UTF8", PGOPTIONS="")
            self.process = subprocess.Popen(["psql", "-XqAt", self.url], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                            stderr=subprocess.STDOUT, text=True, env=environment)
        try:
            self.process.stdin.write(f"{sql}\n\\echo {END}\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            return self.close()
        lines = []
        for line in self.process.stdout:
            if line.rstrip("\n") == END:
                break
            lines.append(line)
        text = "".join(lines)
        if not text.startswith("["):
            self.close()
            if text.startswith("ERROR"):
                raise ValueError(f"{text}in: {sql}")
            return None
        return text

    def close(self):
        if self.process is not None:
            self.process.kill()
            self.process.communicate()
            self.process = None
