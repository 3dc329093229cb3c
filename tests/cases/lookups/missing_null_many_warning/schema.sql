CREATE TABLE region (id integer PRIMARY KEY, name text, country text, active boolean);
INSERT INTO region VALUES (1, 'North', 'NO', true);
INSERT INTO region VALUES (2, 'South', 'NO', true);
INSERT INTO region VALUES (3, 'North', 'SE', true);
INSERT INTO region VALUES (4, 'East', 'SE', false);
INSERT INTO region VALUES (5, 'East', 'SE', true);
CREATE TABLE site (code text PRIMARY KEY, region_id integer, note text);
