-- What developers see in the dashboard: named API keys with their last use, and the log of their requests.

alter table api_keys
  -- Null for keys that were made before keys had names.
  add column name text,
  -- Null: the operator at the command line.
  add column created_by text references users,
  -- Real time, kept to the minute.
  add column last_used_at timestamptz;

-- One row per request of a known API key, kept for 30 days: a partition per day is made ahead and dropped whole.
-- Written after the answer; bodies are redacted before they come here.
create table request_logs (
  account_id text not null,
  -- The environment that the account was in.
  livemode boolean not null,
  -- Counts the account's rows of one mode, like the lists' (docs/architecture.md, "Lists").
  seq bigint not null,
  -- The `Service-Request-Id`.
  id text not null,
  -- Real time at which the request began.
  at timestamptz not null,
  method text not null,
  -- The route's pattern.
  route text not null,
  path text not null,
  query text,
  status int not null,
  -- 4 for 4xx and so on.
  status_class smallint not null generated always as (status / 100) stored,
  code text,
  duration_ms int not null,
  key_id text not null,
  ip text not null,
  -- Keyed hash of method, path and key: requests that share it are repeats of each other.
  idempotency_hash text,
  idempotency_hint text,
  replayed boolean not null,
  payment_id text,
  refund_id text,
  customer_id text,
  -- JSON; null where `request_note` says why it is not kept, or where there was none.
  request_body text,
  request_note text check (request_note in ('not_json', 'too_large', 'file', 'unused')),
  request_bytes int not null,
  answer_body text,
  answer_note text check (answer_note in ('not_json', 'too_large')),
  answer_bytes int not null,
  primary key (account_id, livemode, seq, at)
) partition by range (at);

create index request_logs_by_id on request_logs (account_id, livemode, id);
create index request_logs_by_route on request_logs (account_id, livemode, method, route, seq);
create index request_logs_by_key on request_logs (account_id, livemode, key_id, seq);
create index request_logs_refused on request_logs (account_id, livemode, status_class, seq) where status_class >= 4;
create index request_logs_by_code on request_logs (account_id, livemode, code, seq) where code is not null;
create index request_logs_by_payment on request_logs (account_id, livemode, payment_id, seq)
  where payment_id is not null;
create index request_logs_by_idempotency on request_logs (account_id, livemode, idempotency_hash, seq)
  where idempotency_hash is not null;

-- Takes what no day takes, should the days ever not have been made.
create table request_logs_other partition of request_logs default;
