-- Runs on SQLite and on PostgreSQL; SQLite keeps dates as text. May be run again: what is there stays.
CREATE TABLE IF NOT EXISTS department (
  code varchar(10) PRIMARY KEY,
  name varchar(80) NOT NULL UNIQUE
);

CREATE TABLE IF NOT EXISTS employee (
  number          varchar(10) PRIMARY KEY,
  first_name      varchar(60) NOT NULL,
  last_name       varchar(60) NOT NULL,
  email           varchar(254) NOT NULL UNIQUE,
  login           varchar(24) NOT NULL UNIQUE,
  phone           varchar(16),
  department      varchar(10) NOT NULL REFERENCES department (code),
  manager         varchar(10) REFERENCES employee (number),
  contract        varchar(20) NOT NULL,
  started_on      date NOT NULL,
  ends_on         date,
  probation_until date,
  salary          numeric(10,2) NOT NULL,
  iban            varchar(34)
);
CREATE INDEX IF NOT EXISTS employee_by_manager ON employee (manager);
