-- What a processor gave the operator for one account and mode: sealed under the account's key. Without a row test mode is
-- served by the simulator, and live mode not at all.
create table connection_credentials (
  account_id text not null references connections,
  livemode boolean not null,
  id text not null generated always as (case when livemode then 'live' else 'test' end) stored,
  base_url text not null,
  disputes_url text not null,
  -- JSON text of names and values.
  secrets bytea not null,
  key_version int not null,
  -- Counts the changes, so that running servers see which they do not know yet.
  revision int not null default 1,
  updated_at timestamptz not null,
  primary key (account_id, livemode)
);
