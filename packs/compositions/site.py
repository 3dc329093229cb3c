#!/usr/bin/env python3
"""A web site about Carnatic compositions that does not exist: pages as people write them, made from a number, and served on this machine.

    python3 site.py --pages 1240 --port 8000 --manifest manifest.csv --truth truth.csv --log requests.ndjson

Every page has title, composer, raga, tala and sometimes a temple, in one of five kinds of markup, with names in one of many spellings. Some pages are
slow, fail at first, are not there, redirect, redirect in circles, are huge, lack a field or lie about their charset. The truth says for every page what
it is about and how it must end. The same number of pages and the same seed give the same site."""

import argparse
import csv
import html
import http.server
import json
import pathlib
import random
import re
import socket
import sys
import threading
import time
import unicodedata

FOLDER = pathlib.Path(__file__).resolve().parent
PAGES, SEED = 1240, 7
HUGE_BYTES = 3 << 20
TALAS = ("Ādi", "Rūpakam", "Miśra Cāpu", "Khaṇḍa Cāpu", "Jhampa", "Aṭa", "Tripuṭa")
LANGUAGES = ("Telugu", "Sanskrit", "Tamil", "Kannada", "Malayalam")
STARTS = ("Entarō", "Vātāpi", "Śrī", "Nannu", "Brōva", "Pāhi", "Rāma", "Kṛṣṇa", "Dēvi", "Ambā", "Māmava", "Nī", "Ēla", "Marivēre", "Sarasa", "Himagiri",
          "Akhilāṇḍēśvari", "Bantu", "Cēta", "Durmārga", "Gāna", "Hari", "Jagadānanda", "Kamalāmbā", "Lāvaṇya", "Manasā", "Nāda", "Ōrajūpu", "Palukē", "Raghu")
ENDS = ("mahānubhāvulu", "gaṇapatim", "dayājūḍu", "pālimpa", "rakṣamām", "nīpai", "tanaya", "gatiyani", "sadā", "nāmamē", "caraṇam", "bhajarē", "vinutē",
        "mukhambu", "kāraka", "jananī", "vandē", "sannidhi", "tārakam", "lōlē")
STRANGERS = ("Lālguḍi Jayarāman", "Tañjāvūr Śaṅkara Ayyar", "Ambujam Kṛṣṇa", "Periyasāmi Tūran", "Nīlakaṇṭha Śivan")  # not in the reference data
SCRIPTS = {"Tyāgarāja": "त्यागराज", "Purandara Dāsa": "पुरन्दर दास", "Mōhanam": "मोहनम्", "Kalyāṇi": "कल्याणि"}
FAULTS = (("slow", 24), ("flaky", 30), ("limited", 12), ("redirect", 24), ("charset", 16),  # these end well
          ("missing", 20), ("gone", 20), ("loop", 6), ("huge", 4))  # these do not
FAILS = {"missing": "field_missing", "gone": "scrape_failed", "loop": "unreachable_url", "huge": "scrape_failed"}


def plain(text):
    return "".join(letter for letter in unicodedata.normalize("NFD", text) if not unicodedata.combining(letter))


def popular(text, chance):
    """As newspapers write it: Thyagaraja, Muthuswamy Dikshithar."""
    for found, written in (("ś", "sh"), ("ṣ", "sh"), ("Ś", "Sh"), ("Ṣ", "Sh"), ("c", "ch"), ("C", "Ch"), ("ṛ", "ri"), ("Ṛ", "Ri"), ("ḷ", "l")):
        text = text.replace(found, written)
    text = re.sub("t(?=[aāiīuūṛyr])", "th", text)
    if chance.random() < 0.5:
        text = text.replace("sv", "sw").replace("Sv", "Sw")
    for found, written in (("ī", "ee"), ("ū", "oo"), ("ā", "aa")):
        if chance.random() < 0.25:
            text = text.replace(found, written, 1)
    if chance.random() < 0.4:
        text = re.sub("i$", "y", text)
    return plain(text)


def typo(text, chance):
    text = plain(text)
    at = chance.randrange(2, max(3, len(text) - 1))
    return text[:at] + text[at + 1:] if chance.random() < 0.5 else text[:at] + text[at] + text[at:]


def honoured(text, chance):
    return chance.choice(("Sri ", "Saint ")) + plain(text)


def shortened(text, chance):
    words = plain(text).split()
    if len(words) == 1:
        return words[0].upper()
    return " ".join(word[0] + "." for word in words[:-1]) + " " + words[-1] if chance.random() < 0.5 else words[-1] + ", " + " ".join(words[:-1])


def spelt(name, chance):
    """The name as somebody writes it, and how."""
    styles = (("scholarly", 30), ("plain", 25), ("popular", 30), ("honoured", 4), ("shortened", 4), ("typo", 5), ("script", 2))
    style = chance.choices([one for one, _ in styles], [weight for _, weight in styles])[0]
    if style == "script":
        return (SCRIPTS[name], style) if name in SCRIPTS else (plain(name), "plain")
    ways = {"plain": lambda: plain(name), "popular": lambda: popular(name, chance), "honoured": lambda: honoured(name, chance),
            "shortened": lambda: shortened(name, chance), "typo": lambda: typo(name, chance)}
    return (ways[style]() if style in ways else name), style


def reference(name):
    with open(FOLDER / "reference" / f"{name}.csv", encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


class Page:
    """What a page is about, how it is written, and what is wrong with it."""

    def __init__(self, number, kind, seed, known):
        chance = random.Random(f"{seed} {number}")
        self.key, self.kind = f"krithi-{number:05}", kind
        composers, ragas, temples = known
        self.composer, self.raga = chance.choice(composers), chance.choice(ragas)
        self.temple = chance.choice(temples) if chance.random() < 0.4 else None
        self.stranger = chance.choice(STRANGERS) if chance.random() < 0.03 else None
        self.title = f"{chance.choice(STARTS)} {chance.choice(ENDS)}"
        self.tala, self.language = chance.choice(TALAS), chance.choice(LANGUAGES)
        written = [spelt(self.stranger or self.composer["name"], chance), spelt(self.raga["name"], chance)]
        written.append(spelt(self.temple["name"], chance) if self.temple else ("", ""))
        if kind == "charset":
            written = [(plain(text), "plain") for text, _ in written]
        self.written, self.styles = [text for text, _ in written], [style for _, style in written]
        self.markup = chance.choice(("table", "list", "bold", "classes", "sections")) if kind != "charset" else "table"
        self.delay = 0.2 + chance.random() if kind == "slow" else 0

    @property
    def path(self):
        return {"redirect": f"/old/{self.key}", "loop": f"/loop/{self.key}/a"}.get(self.kind, f"/krithi/{self.key}")

    @property
    def ends_well(self):
        return self.kind not in FAILS

    def fields(self):
        composer, raga, temple = self.written
        title = plain(self.title) if self.kind == "charset" else self.title
        tala = plain(self.tala) if self.kind == "charset" else self.tala
        fields = {"Title": title, "Composer": composer, "Raga": raga, "Tala": tala, "Language": self.language, "Temple": temple}
        if self.kind == "missing":
            del fields["Raga"]
        return {name: text for name, text in fields.items() if text}

    def body(self):
        """Content type and bytes."""
        fields = {name: html.escape(text) for name, text in self.fields().items()}
        rows = [f"<h1 class=title>{fields.pop('Title')}</h1>", "<p>Home &gt; Krithis</p>"]
        if self.markup == "table":
            rows += ["<table>", *(f"<tr><th>{name}<td>{text}" for name, text in fields.items()), "</table>"]
        elif self.markup == "list":
            rows += ["<dl>", *(f"<dt>{name}</dt>\n<dd> {text} </dd>" for name, text in fields.items()), "</dl>"]
        elif self.markup == "bold":
            rows += ["<p>" + "<br>\n".join(f"<b>{name}:</b> <span>{text}</span>" for name, text in fields.items()) + "</p>"]
        elif self.markup == "sections":
            rows += [f"<section><h2>{name}</h2><p>{text}<sup>1</sup></p></section>" for name, text in fields.items()]
        else:
            rows += [f'<div class="field {name.lower()}"><i>{name}</i> <em class={name.lower()}>{text}</em></div>' for name, text in fields.items()]
        text = "<!doctype html>\n<title>Krithis</title>\n" + "\n".join(rows) + "\n<footer>Café Sabhā, made by nobody</footer>\n"
        if self.kind == "huge":
            text += "<!--" + "x" * HUGE_BYTES + "-->"
        if self.kind == "charset":  # says one thing and is another
            return "text/html; charset=utf-8", text.replace("ā", "a").encode("latin-1")
        return "text/html; charset=utf-8", text.encode()

    def truth(self):
        known = self.ends_well
        return {"krithi_key": self.key, "kind": self.kind, "markup": self.markup, "error": FAILS.get(self.kind, ""),
                "composer_id": self.composer["id"] if known and not self.stranger else "", "raga_id": self.raga["id"] if known else "",
                "temple_id": self.temple["id"] if known and self.temple else "", "composer": self.written[0], "raga": self.written[1],
                "temple": self.written[2], "composer_style": self.styles[0], "raga_style": self.styles[1], "temple_style": self.styles[2]}


def make_pages(count=PAGES, seed=SEED):
    known = reference("composer"), reference("raga"), reference("temple")
    kinds = [kind for kind, share in FAULTS for _ in range(max(1, share * count // PAGES))]
    kinds += ["plain"] * (count - len(kinds))
    random.Random(seed).shuffle(kinds)
    return [Page(number, kind, seed, known) for number, kind in enumerate(kinds[:count], 1)]


def has_hung_up(connection):
    try:
        return connection.recv(1, socket.MSG_PEEK | socket.MSG_DONTWAIT) == b""
    except BlockingIOError:
        return False
    except OSError:
        return True


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: "Site"

    def log_message(self, format, *args):  # pylint: disable=redefined-builtin
        pass

    def do_GET(self):  # pylint: disable=invalid-name
        began = time.monotonic()
        request = self.server.begin(self.path, self.connection)
        try:
            request["status"] = self.answer()
        finally:
            request["seconds"] = round(time.monotonic() - began, 4)
            self.server.end(request, self.connection)

    def send(self, status, kind="text/plain", body=b"", **headers):
        self.server.answers(self.connection)
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        try:
            self.wfile.write(body)
        except OSError:
            self.close_connection = True
        return status

    def answer(self):
        if self.path == "/robots.txt":
            return self.send(200, body=b"User-agent: *\nDisallow: /private/\n")
        folder, _, rest = self.path.lstrip("/").partition("/")
        page = self.server.pages.get(rest.split("/")[0])
        if page is None or page.kind == "gone":
            return self.send(404, body=b"there is no such page\n")
        if folder == "loop":
            steps = {"a": "b", "b": "c", "c": "a"}
            return self.send(302, Location=f"/loop/{page.key}/{steps.get(rest[-1], 'a')}")
        if folder == "old":
            return self.send(301, Location=f"/krithi/{page.key}")
        times = self.server.count(page.key)
        if page.kind == "flaky" and times <= 1 + len(page.title) % 2:
            return self.send(503 if times == 1 else 500)
        if page.kind == "limited" and times == 1:
            return self.send(429, Retry_After="1")
        time.sleep(page.delay)
        return self.send(200, *page.body())


class Site(http.server.ThreadingHTTPServer):
    """Serves the pages from a thread of its own. `requests` is what was asked, in the order in which it came; who hung up before the answer has no status.
    `most_at_once` counts requests that nobody had answered yet and whose senders were still there."""

    daemon_threads = True
    request_queue_size = 512

    def __init__(self, pages, port=0, log=None):
        super().__init__(("127.0.0.1", port), Handler)
        self.pages = {page.key: page for page in pages}
        self.requests, self.times, self.lock = [], {}, threading.Lock()
        self.open, self.most_at_once = set(), 0
        self.log = open(log, "w", encoding="utf-8") if log else None  # pylint: disable=consider-using-with
        self.thread = threading.Thread(target=self.serve_forever, daemon=True)

    def handle_error(self, request, client_address):
        """Who asks may hang up."""
        if not isinstance(sys.exc_info()[1], ConnectionError):
            super().handle_error(request, client_address)

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server_address[1]}"

    def count(self, key):
        with self.lock:
            self.times[key] = self.times.get(key, 0) + 1
            return self.times[key]

    def begin(self, path, connection):
        with self.lock:
            request = {"at": time.time(), "clock": time.monotonic(), "path": path, "status": None, "seconds": None}
            self.requests.append(request)
            self.open = {one for one in self.open if not has_hung_up(one)} | {connection}
            self.most_at_once = max(self.most_at_once, len(self.open))
            return request

    def answers(self, connection):
        """From here on its sender may ask for something else."""
        with self.lock:
            self.open.discard(connection)

    def end(self, request, connection):
        with self.lock:
            self.open.discard(connection)
            if self.log:
                self.log.write(json.dumps(request) + "\n")
                self.log.flush()

    def start(self):
        self.thread.start()
        return self

    def stop(self):
        self.shutdown()
        self.server_close()
        if self.log:
            self.log.close()

    def manifest(self):
        return "krithi_key,source_url\n" + "".join(f"{page.key},{self.url}{page.path}\n" for page in self.pages.values())


def write_truth(pages, path):
    with open(path, "w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(pages[0].truth()))
        writer.writeheader()
        writer.writerows(page.truth() for page in pages)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pages", type=int, default=PAGES)
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--port", type=int, default=8000)
    parser.add_argument("--manifest", help="write the list of pages here")
    parser.add_argument("--truth", help="write what each page is about here")
    parser.add_argument("--log", help="write every request here, one JSON object a line")
    options = parser.parse_args()
    pages = make_pages(options.pages, options.seed)
    site = Site(pages, options.port, options.log)
    if options.manifest:
        pathlib.Path(options.manifest).write_text(site.manifest(), encoding="utf-8")
    if options.truth:
        write_truth(pages, options.truth)
    print(f"{len(pages)} pages at {site.url}/krithi/{pages[0].key}", flush=True)
    try:
        site.serve_forever()
    except KeyboardInterrupt:
        site.stop()


if __name__ == "__main__":
    main()
