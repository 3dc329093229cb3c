CREATE TABLE price (item text COLLATE "C" NOT NULL, valid_from date NOT NULL, valid_until date NOT NULL, a text, b integer, comment text, PRIMARY KEY (item, valid_from));
INSERT INTO price VALUES ('1', '2024-01-01', '2024-03-01', 'Orig', 10, 'c'), ('1', '2024-04-01', '2025-01-01', 'Orig', 10, 'c');
