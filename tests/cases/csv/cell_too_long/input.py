# The second cell is one byte longer than 1 MiB, the third just fits.
print("id,t")
print("1,a")
print("2," + "x" * (1024 * 1024 + 1))
print("3," + "y" * (1024 * 1024))
