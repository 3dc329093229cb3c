"""Gives back the first cell."""

import json
import sys

for line in sys.stdin:
    message = json.loads(line)
    if message["message"] == "rows":
        answers = [json.dumps({"row_index": row["row_index"], "ok": True, "result": {"name": row["row"][0]}}) for row in message["rows"]]
        print("\n".join(answers), flush=True)
    else:
        print('{"ok": true}', flush=True)
