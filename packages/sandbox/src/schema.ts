/**
 * The simulators' own tables, apart from everything of the merchant's side. May be run again and again; two runs
 * at once must be kept apart by the caller.
 */
export const sandboxSchema = `
create schema if not exists sandbox;

-- One row per idempotency key. Without a status the request is still being worked on.
create table if not exists sandbox.requests (
  merchant_account text not null,
  idempotency_key text not null,
  psp_reference text not null,
  started_at timestamptz not null,
  status integer,
  body text,
  primary key (merchant_account, idempotency_key),
  check ((status is null) = (body is null))
);

-- What was really charged. A reference may stand here twice: the ledger shows a double charge, it does not prevent it.
create table if not exists sandbox.charges (
  merchant_account text not null,
  reference text not null,
  psp_reference text not null,
  amount bigint not null,
  currency text not null,
  status text not null check (status in ('authorized', 'captured')),
  brand text not null,
  bin text not null,
  last4 text not null,
  expiry_month smallint not null,
  expiry_year smallint not null,
  received jsonb not null,
  created_at timestamptz not null,
  primary key (merchant_account, reference, psp_reference)
);

-- Faults that have struck, so that the same key is served on its next try, also by another process.
create table if not exists sandbox.faults (
  merchant_account text not null,
  idempotency_key text not null,
  struck_at timestamptz not null,
  primary key (merchant_account, idempotency_key)
);
`;
