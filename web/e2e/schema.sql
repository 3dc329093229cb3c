CREATE TABLE product_group (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
INSERT INTO product_group (name) VALUES ('Schrauben'), ('Dübel'), ('Beschläge'), ('Muttern'), ('Scheiben'), ('Werkzeug'), ('Befestigung');
CREATE TABLE price_item (
  article_no TEXT PRIMARY KEY, description TEXT, net_price TEXT, currency TEXT, unit TEXT, product_group_id INTEGER, valid_from TEXT,
  min_quantity INTEGER, discount_group TEXT
);
INSERT INTO price_item (article_no, description, net_price, currency, unit) VALUES
  ('0004010', 'Senkschraube alt', '1.00', 'EUR', 'ST'), ('0004011', 'Winkel alt', '2.00', 'EUR', 'ST'), ('0004012', 'Scheibe alt', '3.00', 'EUR', 'ST');
CREATE TABLE many_rows (number INTEGER PRIMARY KEY, name TEXT NOT NULL, quantity INTEGER);
CREATE TABLE delivery (number INTEGER PRIMARY KEY, name TEXT NOT NULL, arrived TEXT);
