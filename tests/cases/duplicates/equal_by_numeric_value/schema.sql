CREATE TABLE step (at numeric(10,4) PRIMARY KEY, name text);
