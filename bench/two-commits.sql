-- A frozen copy of the writes of a create, so that ratios of different months can be compared. It leaves out what would slow
-- down single-row commits of one merchant without being inherent in them: the dense counters (replaced by a sequence)
-- and the foreign keys to the one account row.
create schema two_commits;
set search_path = two_commits;

create sequence numbers;

create table payments (
  account_id text not null,
  livemode boolean not null,
  id text not null,
  seq bigint not null,
  status text not null check (status in ('processing', 'requires_action', 'authorized', 'succeeded', 'failed', 'voided')),
  version int not null,
  event_count int not null,
  amount bigint not null check (amount > 0),
  currency text not null,
  customer_id text,
  reference text,
  shopper_statement text,
  capture_method text not null check (capture_method in ('automatic', 'manual')),
  method_type text not null check (method_type in ('card', 'card_fields', 'processor_b')),
  brand text,
  bin text,
  last4 text,
  exp_month int,
  exp_year int,
  payment_method_id text,
  renews_payment text,
  failure_code text,
  three_d_secure json,
  avs json,
  upstream_reference text,
  network_transaction_reference text,
  request json not null,
  created_at timestamptz not null,
  primary key (account_id, livemode, id),
  unique (account_id, livemode, seq),
  check ((status = 'failed') = (failure_code is not null))
) with (fillfactor = 85);

create index on payments (account_id, livemode, customer_id, seq) where customer_id is not null;
create index on payments (account_id, livemode, reference, seq) where reference is not null;
create index on payments (account_id, livemode, seq) where status = 'processing';

create table operations (
  account_id text not null,
  livemode boolean not null,
  id text not null,
  payment_id text not null,
  kind text not null check (kind in ('charge')),
  upstream_key text not null check (length(upstream_key) <= 64),
  state text not null check (state in ('intent', 'settled', 'unknown')),
  created_at timestamptz not null,
  settled_at timestamptz,
  primary key (account_id, livemode, id),
  foreign key (account_id, livemode, payment_id) references payments (account_id, livemode, id)
) with (fillfactor = 85);

create unique index on operations (account_id, livemode, payment_id) where state <> 'settled';

create table events (
  account_id text not null,
  livemode boolean not null,
  id text not null,
  seq bigint not null,
  type text not null,
  object_id text not null,
  sequence int not null,
  body text not null,
  created_at timestamptz not null,
  primary key (account_id, livemode, id),
  unique (account_id, livemode, seq),
  unique (account_id, livemode, object_id, sequence)
);

create unique index on events (account_id, livemode, object_id, type)
  where type in ('payment.succeeded', 'payment.failed', 'refund.succeeded', 'refund.failed');
create index on events (account_id, livemode, type, seq);

create table idempotency_keys (
  account_id text not null,
  livemode boolean not null,
  scope text not null,
  key text not null,
  fingerprint bytea not null,
  state text not null check (state in ('running', 'open', 'done')),
  lease_owner text not null,
  lease_until timestamptz not null,
  resource_id text not null,
  status int,
  body text,
  created_at timestamptz not null,
  primary key (account_id, livemode, scope, key)
) with (fillfactor = 60);

create index on idempotency_keys using brin (created_at);

-- Commit 1: the claim of the idempotency key, the payment, and the intent of the operation.
create function begin_payment(request json, out payment text, out idem_key text) language plpgsql as $$
declare
  number bigint := nextval('two_commits.numbers');
begin
  payment := 'pay_' || lpad(to_hex(number), 24, '0');
  idem_key := gen_random_uuid()::text;
  insert into two_commits.idempotency_keys
    values ('acct_two_commits', false, 'POST /api/v1/payments', idem_key, sha256(convert_to(idem_key, 'UTF8')), 'running',
      '1', now() + interval '75 seconds', payment, null, null, now())
    on conflict do nothing;
  if not found then raise exception 'the key is taken'; end if;
  insert into two_commits.payments
    values ('acct_two_commits', false, payment, number, 'processing', 1, 0, 4990, 'EUR', null, 'order-' || idem_key,
      null, 'automatic', 'card', 'visa', '411111', '1111', 3, 2032, null, null, null, null, null, null, null, request,
      now());
  insert into two_commits.operations
    values ('acct_two_commits', false, 'op_' || lpad(to_hex(number), 24, '0'), payment, 'charge', payment || ':c',
      'intent', now(), null);
end $$;

-- Commit 2: the processor's response on payment and operation, the event, and the stored response.
create function settle_payment(payment text, idem_key text, event text, answer text) returns boolean
language plpgsql as $$
begin
  update two_commits.payments
    set status = 'succeeded', version = version + 1, event_count = event_count + 1,
      upstream_reference = 'ABCDEFGHIJKLMNOP', network_transaction_reference = '123456789012345'
    where account_id = 'acct_two_commits' and livemode = false and id = payment and version = 1;
  if not found then raise exception 'the payment is gone'; end if;
  update two_commits.operations set state = 'settled', settled_at = now()
    where account_id = 'acct_two_commits' and livemode = false and payment_id = payment and state <> 'settled';
  insert into two_commits.events
    values ('acct_two_commits', false, 'evt_' || substr(payment, 5), nextval('two_commits.numbers'),
      'payment.succeeded', payment, 1, event, now());
  update two_commits.idempotency_keys set state = 'done', status = 201, body = answer
    where account_id = 'acct_two_commits' and livemode = false and scope = 'POST /api/v1/payments' and key = idem_key;
  if not found then raise exception 'the claim is gone'; end if;
  return true;
end $$;
