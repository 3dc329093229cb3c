CREATE TABLE category (code text PRIMARY KEY, parent text REFERENCES category (code), name text);
INSERT INTO category (code, parent, name) VALUES ('root', NULL, 'Root');
