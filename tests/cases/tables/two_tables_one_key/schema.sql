CREATE TABLE product (code text PRIMARY KEY, name text);
CREATE TABLE price (code text PRIMARY KEY, amount numeric(10,2));
INSERT INTO product VALUES ('A', 'Beam');
INSERT INTO price VALUES ('A', 1);
INSERT INTO product VALUES ('B', 'Panel');
INSERT INTO price VALUES ('B', 9);
INSERT INTO product VALUES ('C', 'old');
