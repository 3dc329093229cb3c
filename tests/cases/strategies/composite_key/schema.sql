CREATE TABLE price (code text, region integer, day date, price numeric(10,2), PRIMARY KEY (code, day, region));
INSERT INTO price VALUES ('b', 10, '2024-01-01', 2);
INSERT INTO price VALUES ('a', 2, '2024-01-01', 99);
