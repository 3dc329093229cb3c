"""Puts names together; three first names mean trouble."""

import json
import os
import sys

prefix = ""


def answer(row):
    first, last = row["row"]
    if first == "refuse":
        return {"ok": False, "error": "nobody is called refuse"}
    if first == "die":
        os._exit(9)
    name = f"{prefix} {first} {last}".strip() if first else last
    score = "many" if first == "wrong" else len((first or "") + last)
    return {"ok": True, "result": {"name": name, "score": score, "birthday": "2001-02-03" if first else None, "code": first}}


for line in sys.stdin:
    message = json.loads(line)
    if message["message"] == "rows":
        for one in message["rows"]:
            print(json.dumps({"row_index": one["row_index"], **answer(one)}))
    else:
        prefix = message.get("options", {}).get("prefix", prefix)
        print('{"ok": true}')
    sys.stdout.flush()
