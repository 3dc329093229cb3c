CREATE TABLE sums (code text PRIMARY KEY, total numeric(14,4), least numeric(14,4), most numeric(14,4), opening text, closing text, words text, lines integer);
