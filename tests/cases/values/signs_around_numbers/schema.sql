CREATE TABLE sums (id integer PRIMARY KEY, amount numeric(12,2), price numeric(12,2), rate numeric(6,4), plain numeric(12,2), code varchar(20), active boolean);
