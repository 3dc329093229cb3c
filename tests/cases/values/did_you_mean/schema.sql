CREATE TABLE country (id integer PRIMARY KEY, name varchar(40));
INSERT INTO country VALUES (1, 'Norway'), (2, 'Sweden');
CREATE TABLE shop (id integer PRIMARY KEY, channel varchar(20), country_id integer);
