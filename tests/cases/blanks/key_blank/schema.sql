CREATE TABLE price (a text, b integer, price numeric(10,2), PRIMARY KEY (a, b));
