CREATE TABLE account (id integer PRIMARY KEY, email text UNIQUE);
INSERT INTO account VALUES (99, 'taken@x');
INSERT INTO account VALUES (4, 'old@x');
