# 250 rows; the table refuses the very last one.
print("code,name,quantity")
for row in range(1, 251):
    print(f"K{row:03},row {row},{1000 if row == 250 else row}")
