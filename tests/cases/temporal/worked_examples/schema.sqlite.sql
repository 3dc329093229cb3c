CREATE TABLE price (item text NOT NULL, valid_from text NOT NULL, valid_until text NOT NULL, a text, b integer, comment text, note text DEFAULT 'kept', PRIMARY KEY (item, valid_from));
INSERT INTO price VALUES ('1', '2024-01-01', '2024-07-01', 'A', 10, 'c1', 'old'), ('2', '2024-01-01', '2024-07-01', 'A', 10, 'c1', 'old'),
  ('3', '2024-01-01', '2025-01-01', 'A', 10, 'c1', 'old'), ('4', '2024-01-01', '2025-01-01', 'A', 10, 'c1', 'old'),
  ('5', '2024-03-01', '2025-01-01', 'A', 10, 'c1', 'old'), ('6', '2024-04-01', '2024-09-01', 'A', 10, 'c1', 'old'),
  ('7', '2021-01-01', 'infinity', 'A', 10, 'c1', 'old'), ('8', '2024-07-01', '2025-01-01', 'Later', 10, 'c1', 'old');
