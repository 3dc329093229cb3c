#!/usr/bin/env python3
"""Prints the code of one language that stands in a page: doc_code.py PAGE LANGUAGE."""
import re
import sys

page, language = sys.argv[1:]
with open(page, encoding="utf-8") as file:
    blocks = re.findall(rf"^```{re.escape(language)}\n(.*?)^```$", file.read(), re.DOTALL | re.MULTILINE)
if not blocks:
    sys.exit(f"{page} has no {language}")
print("\n".join(blocks))
