CREATE TABLE account (id integer PRIMARY KEY, email text NOT NULL UNIQUE, name text);
INSERT INTO account (id, email, name) VALUES (7, 'a@x', 'old');
