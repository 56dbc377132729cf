-- Refunds. The payment counts what is pending or given back, and cannot be over-refunded.

alter table payments
  add column refunded_amount bigint not null default 0,
  add constraint payments_not_over_refunded check (refunded_amount between 0 and amount);

create table refunds (
  account_id text not null references accounts,
  livemode boolean not null,
  id text not null,
  seq bigint not null,
  payment_id text not null,
  amount bigint not null check (amount > 0),
  currency text not null,
  status text not null check (status in ('pending', 'succeeded', 'failed')),
  reason text check (reason in ('duplicate', 'fraudulent', 'requested_by_customer', 'other')),
  note text,
  failure_code text,
  failure_message text,
  metadata json not null,
  upstream_id text,
  version int not null,
  event_count int not null,
  -- intent: the processor is being asked; unknown: it gave no answer; answered: it has the refund, or refused it.
  asked text not null check (asked in ('intent', 'unknown', 'answered')),
  -- The processor said at once that it is done: told to the merchant a moment later, as from any processor.
  done_upstream boolean not null default false,
  lease_owner bigint not null default 0,
  lease_until timestamptz not null default '-infinity',
  tries int not null default 0,
  -- Real time at which recovery looks at it next.
  next_try_at timestamptz not null,
  created_at timestamptz not null,
  primary key (account_id, livemode, id),
  unique (account_id, livemode, seq),
  foreign key (account_id, livemode, payment_id) references payments (account_id, livemode, id),
  check ((status = 'failed') = (failure_code is not null))
) with (fillfactor = 85);

create index refunds_by_payment on refunds (account_id, livemode, payment_id, seq);
create unique index refunds_by_upstream_id on refunds (account_id, livemode, upstream_id) where upstream_id is not null;
create index refunds_pending on refunds (next_try_at) where status = 'pending';

-- What upstreams tell of a payment may name only their own ids.
create index payments_by_capture on payments (account_id, livemode, (upstream ->> 'capture'))
  where (upstream ->> 'capture') is not null;
create index payments_by_psp on payments (account_id, livemode, (upstream ->> 'psp'))
  where (upstream ->> 'psp') is not null;
