# 500 rows over 70 keys, so that the rows of one key lie in many chunks.
print("code,name,quantity")
for row in range(1, 501):
    print(f"K{row * 37 % 70:03},row {row},{row}")
