CREATE TABLE item (code text PRIMARY KEY, name varchar(5));
