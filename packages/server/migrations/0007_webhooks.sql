-- Outgoing webhooks.

create table webhook_endpoints (
  account_id text not null references accounts,
  id text not null,
  url text not null,
  -- The signing secret, sealed with the account's key of this version; account and id are bound in.
  secret bytea not null,
  key_version int not null,
  -- Also gets the event types beyond the four of the contract.
  additional_events boolean not null,
  status text not null check (status in ('active', 'paused')),
  paused_reason text check (paused_reason in ('merchant', 'failing')),
  -- The owners are still to be told that it was paused.
  pause_untold boolean not null default false,
  -- Real time of the first of the latest failures; null where the latest attempt succeeded.
  first_failure_at timestamptz,
  -- Counts the test events, so that each knows its sequence.
  test_count int not null default 0,
  created_at timestamptz not null,
  deleted_at timestamptz,
  primary key (account_id, id),
  check ((status = 'paused') = (paused_reason is not null))
);

create index webhook_endpoints_by_id on webhook_endpoints (id);
create index webhook_endpoints_untold on webhook_endpoints (account_id, id) where pause_untold;

-- One row per event and endpoint, written in the commit of the event. No foreign keys, as for operations: it is only
-- ever inserted by the statement that writes the event and reads the endpoint.
create table deliveries (
  account_id text not null,
  endpoint_id text not null,
  -- Made of event and endpoint (events/events.ts), and so sorted by the event's time.
  id text not null,
  livemode boolean not null,
  event_id text not null,
  event_type text not null,
  state text not null check (state in ('pending', 'succeeded', 'failed', 'parked')),
  -- Attempts begun. An attempt may end the delivery only while no later one has begun.
  tries int not null default 0,
  -- Attempts ended since the event or the latest manual retry: the place in the schedule.
  attempts int not null default 0,
  -- Attempts begun in a row that never ended, because their process did.
  crashes int not null default 0,
  -- Real time; a new delivery is due at once.
  next_attempt_at timestamptz not null default '-infinity',
  lease_until timestamptz not null default '-infinity',
  -- Time of the event.
  created_at timestamptz not null,
  ended_at timestamptz,
  primary key (account_id, endpoint_id, id)
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 0);

create index deliveries_pending on deliveries (account_id, endpoint_id, next_attempt_at, id) where state = 'pending';
create index deliveries_unsuccessful on deliveries (account_id, endpoint_id, id) where state in ('failed', 'parked');

-- What was sent and answered, kept for 30 days: a partition per week is made ahead and dropped whole. The body is that
-- of the event.
create table delivery_attempts (
  account_id text not null,
  endpoint_id text not null,
  delivery_id text not null,
  -- The delivery's `tries` when it began.
  number int not null,
  livemode boolean not null,
  event_id text not null,
  url text not null,
  request_headers json not null,
  answer_status int,
  answer_headers json,
  -- The first 8 KiB, as text.
  answer_body text,
  -- Why there is no answer.
  error text,
  duration_ms int not null,
  at timestamptz not null,
  primary key (account_id, endpoint_id, delivery_id, number, at)
) partition by range (at);

-- Takes what no week takes, should the weeks ever not have been made.
create table delivery_attempts_other partition of delivery_attempts default;
