CREATE TABLE item (code text PRIMARY KEY, quantity bigint);
