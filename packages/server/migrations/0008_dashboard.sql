-- People who sign in to the dashboard, and what they do there. Times are real time.
-- What belongs to a person is small and looked up without an account, like users and memberships.

-- Null: not since the user was made.
alter table users add column password_changed_at timestamptz;

create index memberships_by_user on memberships (user_id);

create table sessions (
  id text primary key,
  user_id text not null references users,
  -- New at every login; the browser keeps the token itself.
  token_sha256 bytea not null unique,
  ip text not null,
  user_agent text,
  created_at timestamptz not null,
  -- Kept to the minute.
  last_seen_at timestamptz not null,
  -- When the password was given last.
  confirmed_at timestamptz not null
);

create index sessions_by_user on sessions (user_id);

create table user_totp (
  user_id text primary key references users,
  -- Sealed under the master key that is named; the user is bound in.
  secret bytea not null,
  master_key_id text not null,
  -- The time step of the last code that was taken: none works twice.
  last_step bigint not null default 0,
  created_at timestamptz not null,
  -- Null until the first code was given.
  enabled_at timestamptz
);

create table recovery_codes (
  user_id text not null references users,
  code_sha256 bytea not null,
  used_at timestamptz,
  primary key (user_id, code_sha256)
);

-- Wrong passwords and codes, counted per address, per e-mail address and for both together.
create table sign_in_throttles (
  -- SHA-256 of what is counted.
  name bytea primary key,
  failures int not null,
  last_failure_at timestamptz not null,
  blocked_until timestamptz not null
);

create index sign_in_throttles_by_age on sign_in_throttles (last_failure_at);

-- The first login, by a link that works once.
create table setup_links (
  token_sha256 bytea primary key,
  account_ids text[] not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  used_at timestamptz
);

create table invitations (
  account_id text not null references accounts,
  id text not null,
  email text not null,
  email_folded text not null,
  role text not null check (role in ('owner', 'admin', 'developer', 'support', 'viewer')),
  token_sha256 bytea not null unique,
  invited_by text not null references users,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  -- When it was accepted, withdrawn or replaced.
  ended_at timestamptz,
  primary key (account_id, id)
);

create unique index invitations_open on invitations (account_id, email_folded) where ended_at is null;

create table audit_log (
  account_id text not null references accounts,
  id text not null,
  livemode boolean not null,
  actor_type text not null check (actor_type in ('user', 'operator')),
  user_id text references users,
  -- As it was then.
  email text,
  action text not null,
  object_id text,
  before json,
  after json,
  ip text,
  created_at timestamptz not null,
  primary key (account_id, id)
);

create index audit_log_by_user on audit_log (account_id, user_id, id);
