"""What the families are made of."""

import dataclasses
import itertools
import pathlib
import random
import threading
import typing

from .oracle import Stock
from .world import World

DATABASES = ("sqlite", "postgresql")


@dataclasses.dataclass
class Scenario:
    name: str
    run: typing.Callable  # (Context) -> None; raises Failure
    needs_failpoints: bool = True
    alone: bool = False  # measures time: nothing else runs meanwhile
    slow: bool = False  # only in the long form


class Context:
    """What scenarios share."""

    def __init__(self, lade: pathlib.Path, server: str, long: bool, seed: int):
        self.lade = lade
        self.server = server
        self.long = long
        self.seed = seed
        self.kills = 0
        self.notes = []
        self._lock = threading.Lock()
        self._numbers = itertools.count(1)

    def world(self, database: str, stock: Stock, server="", audited=True) -> World:
        name = f"chaos_{next(self._numbers)}"
        return World(self.lade, stock, (server or self.server) if database == "postgresql" else "", name, audited)

    def random(self, name: str) -> random.Random:
        return random.Random(f"{self.seed} {name}")

    def survived(self, kills=1):
        with self._lock:
            self.kills += kills

    def note(self, text: str):
        with self._lock:
            self.notes.append(text)
