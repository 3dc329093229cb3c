CREATE TABLE unit (id integer PRIMARY KEY, tax text NOT NULL UNIQUE, name text);
CREATE TABLE contact (unit_id integer PRIMARY KEY REFERENCES unit (id), email text);
INSERT INTO unit (id, tax, name) VALUES (100, 'T1', 'One');
INSERT INTO contact VALUES (100, 'one@x');
CREATE VIEW joined AS SELECT tax, name, email FROM unit JOIN contact ON unit_id = id;
