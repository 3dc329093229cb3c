CREATE TABLE item (code text PRIMARY KEY, name text NOT NULL);
INSERT INTO item VALUES ('A', 'Beam');
