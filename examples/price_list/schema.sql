-- The company's own tables; runs on SQLite and on PostgreSQL.
CREATE TABLE price_list_item (
  id   integer PRIMARY KEY,
  cat  varchar(20) NOT NULL,
  sel  varchar(20) NOT NULL,
  name varchar(200) NOT NULL,
  UNIQUE (cat, sel)
);

CREATE TABLE price_list_component (
  price_list_item_id integer NOT NULL REFERENCES price_list_item (id),
  component_code     varchar(40) NOT NULL,
  description        varchar(200),
  quantity           numeric(14, 4),
  unit_price         numeric(14, 4),
  PRIMARY KEY (price_list_item_id, component_code)
);
