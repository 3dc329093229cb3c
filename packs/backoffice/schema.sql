-- Runs on SQLite and on PostgreSQL; SQLite keeps dates as text. May be run again: what is there stays.
CREATE TABLE IF NOT EXISTS accounts_payable (
  invoice_number varchar(40) PRIMARY KEY,
  vendor         varchar(120) NOT NULL,
  invoice_date   date NOT NULL,
  due_date       date,
  amount         numeric(14,2) NOT NULL,
  amount_paid    numeric(14,2) NOT NULL,
  status         varchar(20) NOT NULL,
  description    varchar(500)
);
CREATE INDEX IF NOT EXISTS accounts_payable_by_status ON accounts_payable (status, due_date);

CREATE TABLE IF NOT EXISTS budget_forecast (
  year       integer NOT NULL,
  category   varchar(60) NOT NULL,
  department varchar(60) NOT NULL,
  budget     numeric(14,2) NOT NULL,
  forecast   numeric(14,2),
  growth     numeric(7,4),
  locked     boolean NOT NULL,
  PRIMARY KEY (year, category, department)
);

CREATE TABLE IF NOT EXISTS customer (
  email          varchar(254) PRIMARY KEY,
  name           varchar(120) NOT NULL,
  company        varchar(120),
  phone          varchar(40),
  segment        varchar(20) NOT NULL,
  credit_limit   numeric(14,2),
  customer_since date
);
