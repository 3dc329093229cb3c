CREATE TABLE parent (id integer PRIMARY KEY);
INSERT INTO parent VALUES (1);
CREATE TABLE child (id integer PRIMARY KEY, parent_id integer REFERENCES parent (id) DEFERRABLE INITIALLY DEFERRED);
