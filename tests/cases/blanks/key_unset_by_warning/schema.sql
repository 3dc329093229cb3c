CREATE TABLE price (a integer PRIMARY KEY, price numeric(10,2));
