CREATE TABLE flag (id integer PRIMARY KEY, plain boolean, german boolean);
