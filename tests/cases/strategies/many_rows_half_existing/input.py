# Keys K0000 to K0399 in mixed order; the even ones exist, every fourth of those changes.
print("code,name,quantity,day")
for step in range(400):
    number = step * 171 % 400
    print(f"K{number:04},name,{number // 2 + (1 if number % 8 == 0 else 0)},")
