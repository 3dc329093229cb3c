CREATE TABLE price (item text NOT NULL, valid_from text NOT NULL, valid_until text NOT NULL, a text, b integer, comment text, PRIMARY KEY (item, valid_from));
