# 1,000 columns of which two are used.
print(",".join(f"c{column}" for column in range(1000)))
for row in range(3):
    print(",".join([str(row * 1000)] + ["x"] * 998 + [f"v{row * 1000}"]))
