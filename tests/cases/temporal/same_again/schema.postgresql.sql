CREATE TABLE price (item text COLLATE "C" NOT NULL, valid_from date NOT NULL, valid_until date NOT NULL, a text, b integer, comment text, PRIMARY KEY (item, valid_from));
