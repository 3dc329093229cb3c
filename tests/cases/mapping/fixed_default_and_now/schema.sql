CREATE TABLE price (code text PRIMARY KEY, currency text, origin text, loaded_at timestamp with time zone NOT NULL, quantity integer);
