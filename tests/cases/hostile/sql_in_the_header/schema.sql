CREATE TABLE texts (id integer PRIMARY KEY, t text);
INSERT INTO texts VALUES (9, 'kept');
