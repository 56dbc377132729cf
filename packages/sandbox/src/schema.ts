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

-- What was really charged, in the merchant's minor units. A reference may stand here twice: the ledger shows a double
-- charge, it does not prevent it.
create table if not exists sandbox.charges (
  merchant_account text not null,
  reference text not null,
  psp_reference text not null,
  amount bigint not null,
  currency text not null,
  status text not null,
  brand text,
  bin text,
  last4 text,
  expiry_month smallint,
  expiry_year smallint,
  received jsonb not null,
  created_at timestamptz not null,
  primary key (merchant_account, reference, psp_reference)
);

do $$ begin
  -- Databases from before holds, wallets and cancellations.
  if exists (
    select from information_schema.columns
    where table_schema = 'sandbox' and table_name = 'charges' and column_name = 'brand' and is_nullable = 'NO'
  ) then
    alter table sandbox.charges
      drop constraint if exists charges_status_check,
      alter column brand drop not null, alter column bin drop not null, alter column last4 drop not null,
      alter column expiry_month drop not null, alter column expiry_year drop not null;
  end if;
  if not exists (
    select from pg_constraint
    where conname = 'charges_known_status' and conrelid = 'sandbox.charges'::regclass
  ) then
    alter table sandbox.charges add constraint charges_known_status
      check (status in ('authorized', 'captured', 'voided', 'cancelled'));
  end if;
end $$;

-- Faults that have struck, so that the same key is served on its next try, also by another process.
create table if not exists sandbox.faults (
  merchant_account text not null,
  idempotency_key text not null,
  struck_at timestamptz not null,
  primary key (merchant_account, idempotency_key)
);

-- processor_a: payments that wait for the buyer's bank. Kept without card number and security code.
create table if not exists sandbox.challenges (
  id text primary key,
  merchant_account text not null,
  reference text not null,
  psp_reference text not null,
  state text not null check (state in ('open', 'answered', 'completed', 'cancelled')),
  outcome text,
  redirect_result text unique,
  payment jsonb not null,
  created_at timestamptz not null
);
create index if not exists challenges_reference on sandbox.challenges (merchant_account, reference);

-- processor_b: who a bearer token belongs to.
create table if not exists sandbox.access_tokens (
  token_hash text primary key,
  merchant_account text not null,
  expires_at timestamptz not null
);

-- processor_b: one row per order with everything that became of it. The version guards against two changes at once.
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

-- processor_b: one row per PayPal-Request-Id and operation. Without a status the request is still being worked on.
create table if not exists sandbox.order_requests (
  merchant_account text not null,
  operation text not null,
  request_id text not null,
  owner text not null,
  started_at timestamptz not null,
  expires_at timestamptz not null,
  status integer,
  body text,
  primary key (merchant_account, operation, request_id),
  check ((status is null) = (body is null))
);

-- What the simulated processors still have to tell the merchant's side, and what they have told.
create table if not exists sandbox.notifications (
  processor text not null,
  merchant_account text not null,
  id text not null,
  -- In the merchant account's own time.
  due_at timestamptz not null,
  body text not null,
  flaw text,
  sent boolean not null default false,
  primary key (processor, merchant_account, id)
);
create index if not exists notifications_waiting on sandbox.notifications (merchant_account, due_at) where not sent;

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

-- processor_b: what is to be saved without a payment. Kept without card number and security code.
create table if not exists sandbox.setup_tokens (
  id text primary key,
  state jsonb not null,
  created_at timestamptz not null
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

do $$ begin
  -- Databases from when two processors were simulated and no other.
  if exists (
    select from pg_constraint
    where conname in ('notifications_processor_check', 'disputes_processor_check')
      and conrelid in ('sandbox.notifications'::regclass, 'sandbox.disputes'::regclass)
  ) then
    alter table sandbox.notifications drop constraint if exists notifications_processor_check;
    alter table sandbox.disputes drop constraint if exists disputes_processor_check;
  end if;
end $$;

-- processor_b: what a merchant told about a buyer before the payment that names it.
create table if not exists sandbox.transaction_contexts (
  merchant_account text not null,
  tracking_id text not null,
  context jsonb not null,
  updated_at timestamptz not null,
  primary key (merchant_account, tracking_id)
);

-- processor_b: the key pair that signs its notifications, made once for all processes.
create table if not exists sandbox.signing_keys (
  name text primary key,
  private_key text not null,
  certificate text not null
);
`;
