CREATE TABLE ranges (id integer PRIMARY KEY, amount numeric(10,2), day date);
