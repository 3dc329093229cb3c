-- The keyed target of the components benchmark; both databases take it.
CREATE TABLE component (
  item_id integer NOT NULL,
  component_code text NOT NULL,
  description text,
  quantity numeric(14,4),
  unit text,
  unit_price numeric(14,2),
  activity text,
  region text,
  waste_pct numeric(6,2),
  supplier text,
  valid_from date,
  PRIMARY KEY (item_id, component_code)
);
