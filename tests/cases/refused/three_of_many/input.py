# 300 rows of which the table refuses three, two of them neighbours.
print("code,name,quantity")
for row in range(1, 301):
    print(f"K{row:03},row {row},{-1 if row in (50, 51, 299) else row}")
