import { simulators } from './simulators.ts';

/** The tables that all simulators share. */
const shared = `
create schema if not exists sandbox;

-- One row per idempotency key, at processor_b per operation and PayPal-Request-Id. Without a status the request that
-- \`psp_reference\` names is still being worked on.
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
create index if not exists requests_by_time on sandbox.requests using brin (started_at);

-- What was really charged, in the merchant's minor units. A reference may stand here twice: the ledger shows a double
-- charge, it does not prevent it.
create table if not exists sandbox.charges (
  merchant_account text not null,
  reference text not null,
  psp_reference text not null,
  amount bigint not null,
  currency text not null,
  status text not null check (status in ('authorized', 'captured', 'voided', 'cancelled')),
  brand text,
  bin text,
  last4 text,
  expiry_month smallint,
  expiry_year smallint,
  received jsonb not null,
  created_at timestamptz not null,
  primary key (merchant_account, reference, psp_reference)
);
create index if not exists charges_psp_reference on sandbox.charges (psp_reference);

-- What is found by its id alone: access tokens and what is to be saved without a payment, facts about a buyer, the key pair that
-- signs notifications, and faults that have struck, so that their key is served on its next try by any process.
create table if not exists sandbox.documents (
  kind text not null,
  id text not null,
  merchant_account text not null,
  -- Without card number and security code.
  body jsonb not null,
  created_at timestamptz not null,
  primary key (kind, id, merchant_account)
);

-- What the simulated processors still have to notify the merchant's side of, and what they have.
create table if not exists sandbox.notifications (
  processor text not null,
  merchant_account text not null,
  id text not null,
  -- In the merchant account's own time.
  due_at timestamptz not null,
  body text not null,
  flaw text,
  sent boolean not null default false,
  -- How often it was refused.
  refusals int not null default 0,
  primary key (processor, merchant_account, id)
);
create index if not exists notifications_waiting on sandbox.notifications (merchant_account, due_at) where not sent;
create index if not exists notifications_by_time on sandbox.notifications using brin (due_at);

-- What the simulated processors gave back, whatever they answered or announced.
create table if not exists sandbox.refunds (
  merchant_account text not null,
  -- The merchant's own name of the refund, and of the payment.
  reference text not null,
  payment_reference text not null,
  upstream_id text not null,
  amount bigint not null,
  currency text not null,
  status text not null check (status in ('pending', 'succeeded', 'failed')),
  received jsonb not null,
  created_at timestamptz not null,
  primary key (merchant_account, upstream_id)
);
create index if not exists refunds_payment on sandbox.refunds (merchant_account, payment_reference);

-- Cards and wallets that the simulated processors keep under a token. Kept without card number and security code.
create table if not exists sandbox.instruments (
  merchant_account text not null,
  token text not null,
  -- Our customer's id as the merchant sent it; processor_b has its own id of it as well.
  shopper text not null,
  upstream_customer text,
  -- Card facts, the directive of its holder name, and what the simulator needs to charge it again.
  facts jsonb not null,
  created_at timestamptz not null,
  removed_at timestamptz,
  primary key (merchant_account, token)
);
create index if not exists instruments_shopper on sandbox.instruments (merchant_account, shopper);

-- What was paid out to the merchant: every movement once, and how many payouts there were.
create table if not exists sandbox.paid_out (
  merchant_account text not null,
  id text not null,
  primary key (merchant_account, id)
);
create table if not exists sandbox.payouts (
  merchant_account text primary key,
  last integer not null,
  -- Of the latest of them. In the merchant account's own time.
  closed_at timestamptz not null
);

create table if not exists sandbox.disputes (
  merchant_account text not null,
  upstream_id text not null,
  processor text not null,
  payment_reference text not null,
  version integer not null,
  state jsonb not null,
  created_at timestamptz not null,
  primary key (merchant_account, upstream_id)
);
create index if not exists disputes_payment on sandbox.disputes (merchant_account, payment_reference);
`;

/**
 * The simulators' own tables, separate from those of the merchant's side. The script is idempotent, but the
 * caller must not run it twice at the same time.
 */
export const sandboxSchema = [shared, ...Object.values(simulators).map(({ schema }) => schema)].join('\n');
