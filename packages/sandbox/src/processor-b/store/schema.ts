/** Tables of this simulator alone. */
export const schema = `
-- Who a bearer token belongs to.
create table if not exists sandbox.access_tokens (
  token_hash text primary key,
  merchant_account text not null,
  expires_at timestamptz not null
);

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

-- One row per PayPal-Request-Id and operation. Without a status the request is still being worked on.
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

-- What is to be saved without a payment. Kept without card number and security code.
create table if not exists sandbox.setup_tokens (
  id text primary key,
  state jsonb not null,
  created_at timestamptz not null
);

-- What a merchant sent about a buyer before the payment that names it.
create table if not exists sandbox.transaction_contexts (
  merchant_account text not null,
  tracking_id text not null,
  context jsonb not null,
  updated_at timestamptz not null,
  primary key (merchant_account, tracking_id)
);

-- The key pair that signs its notifications, made once for all processes.
create table if not exists sandbox.signing_keys (
  name text primary key,
  private_key text not null,
  certificate text not null
);
`;
