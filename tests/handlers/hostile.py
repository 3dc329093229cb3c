"""A handler that misbehaves in the way that its argument names; rows whose first cell is not the word for it are answered well."""

import json
import os
import pathlib
import resource
import signal
import subprocess
import sys
import time

MODE = sys.argv[1]


def say(line):
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def answer(index, **more):
    say(json.dumps({"row_index": index, **more}))


def surroundings():
    return {"environment": ",".join(sorted(os.environ)), "descriptors": ",".join(sorted(os.listdir("/proc/self/fd"))[:3]),
            "many_descriptors": len(os.listdir("/proc/self/fd")) > 4, "leads": os.getpgid(0) == os.getpid(), "arguments": len(sys.argv),
            "core": resource.getrlimit(resource.RLIMIT_CORE)[0], "memory": resource.getrlimit(resource.RLIMIT_AS)[0],
            "cpu": resource.getrlimit(resource.RLIMIT_CPU)[0], "file": resource.getrlimit(resource.RLIMIT_FSIZE)[0],
            "open_files": resource.getrlimit(resource.RLIMIT_NOFILE)[0], "folder": os.getcwd()}


def misbehave(index):
    """For the row with the word; gives what is to be answered all the same, or nothing."""
    if MODE == "dies":
        print("this row is too much for me", file=sys.stderr)
        os._exit(3)
    if MODE == "killed":
        os.kill(os.getpid(), signal.SIGKILL)
    if MODE == "hangs":
        time.sleep(600)
    if MODE == "stubborn":
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        while True:
            time.sleep(600)
    if MODE == "floods":
        while True:
            sys.stdout.write("x" * 65536)
    if MODE == "many_lines":
        while True:
            say(json.dumps({"row_index": index + 1000000, "ok": True}))
    if MODE == "complains":
        while True:
            sys.stderr.write("oh no " * 1000 + "\n")
    if MODE == "wrong_index":
        return {"row_index": index + 1000000, "ok": True}
    if MODE == "twice":
        say(json.dumps({"row_index": index, "ok": True}))
        return {"row_index": index, "ok": True}
    if MODE == "bad_json":
        say("{not json")
    if MODE == "not_utf8":
        sys.stdout.flush()
        sys.stdout.buffer.write(b'{"row_index":%d,"ok":true,"result":{"name":"\xff\xfe"}}\n' % index)
        sys.stdout.flush()
    if MODE == "no_ok":
        return {"row_index": index, "fine": True}
    if MODE == "huge":
        return {"row_index": index, "ok": True, "result": {"name": "x" * 2_000_000}}
    if MODE == "forks":
        child = subprocess.Popen(["/bin/sleep", "600"])
        return {"row_index": index, "ok": True, "result": {"name": str(child.pid)}}
    if MODE == "eats":
        return {"row_index": index, "ok": True, "result": {"name": str(len(bytearray(2 << 30)))}}
    if MODE == "closes_input":
        os.close(0)
        time.sleep(600)
    if MODE == "refuses":
        return {"row_index": index, "ok": False, "error": "no\nsuch " + "é" * 1000}
    if MODE == "surroundings":
        return {"row_index": index, "ok": True, "result": surroundings()}
    return None


def main():
    if MODE == "exits":
        print("cannot find my settings", file=sys.stderr)
        sys.exit(4)
    if MODE == "silent":
        time.sleep(600)
    for line in sys.stdin:
        message = json.loads(line)
        if message["message"] == "start" and MODE == "refuses_job":
            say(json.dumps({"ok": False, "error": "not on Sundays"}))
            continue
        if message["message"] == "on_complete" and "NOTES" in os.environ:
            pathlib.Path(os.environ["NOTES"]).write_text(json.dumps(message["counts"]))
        if message["message"] != "rows":
            say('{"ok": true}')
            continue
        for row in message["rows"]:
            if row["row"][0] == "bad":
                if said := misbehave(row["row_index"]):
                    say(json.dumps(said))
            else:
                answer(row["row_index"], ok=True, result={"name": row["row"][0], "number": row["row_index"], "pid": os.getpid()})
        if MODE == "says_more":
            say('{"row_index": 1, "ok": true}')


main()
