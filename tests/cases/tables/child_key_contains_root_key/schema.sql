CREATE TABLE orders (number integer PRIMARY KEY, customer text);
CREATE TABLE order_line (number integer REFERENCES orders (number), line integer, item text, PRIMARY KEY (number, line));
