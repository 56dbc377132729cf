-- The largest refund that one role may make in the dashboard at once. Of the account, in both modes; no row: no limit.
create table refund_limits (
  account_id text not null references accounts,
  role text not null check (role in ('support', 'developer')),
  -- In minor units, by currency.
  amounts jsonb not null,
  -- What is not named in `amounts`.
  other_currencies text not null check (other_currencies in ('unlimited', 'refused')),
  updated_at timestamptz not null,
  primary key (account_id, role)
);
