-- Sums for the dashboard's home page, so that it costs the same at any number of payments. They are derived: a job keeps
-- them, and `till figures rebuild` makes them anew. Quarter hours and hours are named by their beginning; quarters of an
-- hour fit the days of every time zone.

-- How far each account's sums of one mode have come.
create table figures_progress (
  account_id text not null references accounts,
  livemode boolean not null,
  -- Number of the last event, and of the last logged request, that was counted.
  events_seq bigint not null,
  requests_seq bigint not null,
  primary key (account_id, livemode)
);

-- Payments by the quarter hour in which they were created, in account time, as they stand now.
create table figures_payments (
  account_id text not null references accounts,
  livemode boolean not null,
  quarter timestamptz not null,
  currency text not null,
  succeeded bigint not null,
  -- Of those that succeeded, in minor units.
  amount bigint not null,
  -- Succeeded, authorized or voided: the issuer agreed.
  approved bigint not null,
  -- Failed, because the issuer or its authentication refused.
  declined bigint not null,
  -- Failed, because nobody finished them.
  unfinished bigint not null,
  primary key (account_id, livemode, quarter, currency)
) with (fillfactor = 70);

-- The declined ones by their failure code, in all currencies.
create table figures_declines (
  account_id text not null references accounts,
  livemode boolean not null,
  quarter timestamptz not null,
  failure_code text not null,
  payments bigint not null,
  primary key (account_id, livemode, quarter, failure_code)
) with (fillfactor = 70);

-- Refunds that succeeded, by the quarter hour of their own creation and by that of their payment's.
create table figures_refunds (
  account_id text not null references accounts,
  livemode boolean not null,
  counted_by text not null check (counted_by in ('refund', 'payment')),
  quarter timestamptz not null,
  currency text not null,
  refunds bigint not null,
  amount bigint not null,
  primary key (account_id, livemode, counted_by, quarter, currency)
) with (fillfactor = 70);

-- Requests of API keys by the hour in which they began, in real time, and by how long they took: a step is 10 %
-- longer than the one before it.
create table figures_requests (
  account_id text not null references accounts,
  livemode boolean not null,
  hour timestamptz not null,
  step int not null,
  requests bigint not null,
  primary key (account_id, livemode, hour, step)
) with (fillfactor = 70);

-- Webhook attempts by the hour in which they began, in real time.
create table figures_attempts (
  account_id text not null references accounts,
  livemode boolean not null,
  endpoint_id text not null,
  hour timestamptz not null,
  first_attempts bigint not null,
  first_succeeded bigint not null,
  retries bigint not null,
  retries_succeeded bigint not null,
  primary key (account_id, livemode, endpoint_id, hour)
) with (fillfactor = 70);

-- Up to when attempts were counted, of everybody: one row.
create table figures_attempts_until (
  one boolean primary key default true check (one),
  until timestamptz not null
);

insert into figures_attempts_until (until) values ('-infinity');

-- Attempts are written in the order in which they began, or nearly.
create index delivery_attempts_by_time on delivery_attempts using brin (at);

-- What "Needs attention" looks for.
create index payments_holds on payments (account_id, livemode, authorization_expires) where status = 'authorized';
create index disputes_by_creation on disputes (account_id, livemode, created_at);
create index disputes_over on disputes (account_id, livemode, seq)
  where status in ('accepted', 'lost', 'won', 'recovered');

-- Who does not want to see the first steps any more.
create table hidden_checklists (
  account_id text not null references accounts,
  user_id text not null references users,
  hidden_at timestamptz not null,
  primary key (account_id, user_id)
);
