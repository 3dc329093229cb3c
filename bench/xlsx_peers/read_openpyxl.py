"""Visits every cell of the first sheet with openpyxl, streaming."""

import sys

import openpyxl

sheet = openpyxl.load_workbook(sys.argv[1], read_only=True, data_only=True).worksheets[0]
print(sum(1 for row in sheet.iter_rows(values_only=True) for value in row if value is not None))
