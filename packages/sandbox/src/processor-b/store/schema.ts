/** The tables that only this simulator uses. */
export const schema = `
-- One row per order with everything that became of it. The version guards against two changes at once.
create table if not exists sandbox.orders (
  id text primary key,
  merchant_account text not null,
  version integer not null,
  state jsonb not null,
  authorization_id text unique,
  capture_id text unique,
  paid_invoice text
);
create unique index if not exists orders_paid_invoice on sandbox.orders (merchant_account, paid_invoice);
`;
