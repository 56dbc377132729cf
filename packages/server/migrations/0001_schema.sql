-- The tables of Till, in eight chapters:
--   1 accounts and people, 2 customers and saved methods, 3 payments and their operations, 4 refunds and disputes,
--   5 events and webhooks, 6 notifications of processors, 7 idempotency keys and request logs, 8 the dashboard.
--
-- Money is in minor units. Times are real time, except where a comment says account time, which a merchant can move in the
-- sandbox. Bytes named as sealed are encrypted under the account's key of the version beside them.
--
-- A tenant is an account in one mode, identified by a number. Keys of rows of one mode begin with `tenant`; keys of rows of an
-- account in both modes (people, mails, webhook endpoints and their deliveries) begin with `account_id`. A policy shows and
-- accepts only rows of the tenants and accounts in the connection's settings `till.tenants` and `till.accounts`. If neither is
-- set, a statement fails instead of returning nothing. Servers take the role `till_tenant` for that (store/scope.ts). Tables that
-- are read before the account is known have no policy: accounts, tenants, connections, API keys, users.
--
-- Leases: `lease_owner` is the number of the process that works on the row, under which it holds an advisory lock while it
-- lives (and `process_marks`); after `lease_until` another process may take the row over. `next_try_at` is when the next attempt is due.
--
-- An installation may have several databases, its cells, one of which holds an account. People, sessions, invitations and the
-- directory are in the first cell, which is called home; each cell has copies of `users` and `memberships`. So no row of a person
-- has a foreign key to an account, and no row of an account to a person.

-- Policies compare an expression, so that the planner cannot use them as index conditions. PostgreSQL does not know how many
-- tenants are in scope, nor which: if most have few rows, it would read all rows of a large one and search them for the keys.
create procedure keep_to_tenants(name regclass) language plpgsql as $$
begin
  execute format('alter table %s enable row level security', name);
  execute format('create policy own_rows on %s using (tenant + 0 = any ((select current_setting(%L)::int[])::int[]))', name,
    'till.tenants');
end
$$;

create procedure keep_to_accounts(name regclass) language plpgsql as $$
begin
  execute format('alter table %s enable row level security', name);
  execute format('create policy own_rows on %s using (account_id || '''' = any ((select scoped_accounts())::text[]))', name);
end
$$;

-- 1. Accounts and people ----------------------------------------------------------------------------------------------
create table accounts (
  account_id text primary key,
  name text not null,
  -- The server's registry lists the processors; the database only checks the form of their names.
  processor text not null check (processor ~ '^processor_[a-z]$'),
  environment text not null check (environment in ('sandbox', 'live')),
  activation text not null check (activation in ('not_activated', 'active', 'suspended', 'restricted', 'closed')),
  store_payment_method_default boolean not null,
  time_zone text not null default 'UTC', -- IANA name of the zone in which the merchant keeps its books.
  clock_offset_ms bigint not null check (clock_offset_ms >= 0), -- How far account time is ahead of real time.
  created_at timestamptz not null
);

create table tenants (
  tenant int primary key generated always as identity,
  account_id text not null references accounts,
  livemode boolean not null,
  unique (account_id, livemode)
);

-- The accounts in the connection's settings, directly or through a tenant.
create function scoped_accounts() returns text[] language sql stable return
  current_setting('till.accounts')::text[]
  || array(select account_id from tenants where tenant = any (nullif(current_setting('till.tenants'), '')::int[]));

create table connections (
  account_id text primary key references accounts,
  status text not null check (status in ('connected', 'disconnected')),
  three_d_secure text not null check (three_d_secure in ('off', 'enabled', 'always')),
  -- Who provides the card fields on the page: Till, or the processor in its frames. Null: the mode's default.
  card_fields text check (card_fields in ('first_party', 'processor'))
);

-- Credentials at a processor for one account and mode. Without a row, test mode uses the simulator and live mode is not served.
create table connection_credentials (
  tenant int primary key references tenants,
  base_url text not null,
  disputes_url text not null,
  secrets bytea not null, -- JSON text of names and values, sealed.
  key_version int not null,
  revision int not null default 1, -- Counts the changes, so that running servers notice new ones.
  updated_at timestamptz not null
);
call keep_to_tenants('connection_credentials');

-- Identifies the master key that this database belongs to: the server refuses to start with another one.
create table master_keys (
  id text primary key,
  check_value bytea not null,
  created_at timestamptz not null
);

-- The account's own key for secrets, wrapped by the named master key; account and version are authenticated with it.
create table account_keys (
  account_id text not null references accounts,
  version int not null check (version > 0),
  master_key_id text not null,
  wrapped bytea not null,
  created_at timestamptz not null,
  primary key (account_id, version)
);
call keep_to_accounts('account_keys');

-- Branding of the hosted checkout page, in both modes. The logo is rewritten, never stored as it was uploaded.
create table account_branding (
  account_id text primary key references accounts,
  display_name text, -- The shop's name as buyers read it; null: the account's name.
  colour text check (colour ~ '^[0-9a-f]{6}$'), -- sRGB, six hexadecimal digits; null: the page's own colour.
  default_locale text,
  logo bytea check (length(logo) <= 102400),
  logo_type text check (logo_type in ('image/png', 'image/jpeg')),
  logo_width int check (logo_width > 0),
  logo_height int check (logo_height > 0),
  logo_sha256 text,
  updated_at timestamptz not null,
  check ((logo is null) = (logo_type is null) and (logo is null) = (logo_width is null)
    and (logo is null) = (logo_height is null) and (logo is null) = (logo_sha256 is null))
);
call keep_to_accounts('account_branding');

create table users (
  id text primary key,
  email text not null,
  email_folded text not null unique,
  password_hash text not null,
  password_changed_at timestamptz, -- Null: not since the user was created.
  created_at timestamptz not null,
  has_totp_at_home boolean not null default false -- Set in a cell's copy, which has no `user_totp`.
);

create table memberships (
  account_id text not null, user_id text not null references users,
  role text not null check (role in ('owner', 'admin', 'developer', 'support', 'viewer')),
  last_seen_at timestamptz, -- When the person was last active in the account, to the minute; null: never.
  created_at timestamptz not null,
  primary key (account_id, user_id)
);
create index memberships_by_user on memberships (user_id);

create table api_keys (
  account_id text not null references accounts, id text not null, tenant int not null,
  secret_sha256 bytea not null unique,
  hint text not null,
  name text,
  created_by text, -- Null: the operator at the command line.
  makers text[] not null default '{}', -- Ids of the people who created the keys that it replaces, and of the one who created it.
  last_used_at timestamptz, -- Kept to the minute.
  created_at timestamptz not null,
  revoked_at timestamptz, expires_at timestamptz, -- expires_at: the key was rolled and is valid until then.
  restriction jsonb, -- What a restricted key may do; null: everything.
  limits_of text, -- Of a rolled key: the id of the first one, whose daily sum it continues.
  primary key (account_id, id)
);

-- The amount that a restricted key with a daily limit has moved on the last day (account time) on which it was used.
create table api_key_days (
  tenant int not null references tenants, key_id text not null, currency text not null,
  day date not null, amount bigint not null check (amount >= 0),
  primary key (tenant, key_id, currency)
);
call keep_to_tenants('api_key_days');

create table sessions (
  id text primary key,
  user_id text not null references users,
  -- New at every login; the browser keeps the token itself.
  token_sha256 bytea not null unique,
  ip text not null,
  user_agent text,
  created_at timestamptz not null,
  last_seen_at timestamptz not null, -- Kept to the minute.
  confirmed_at timestamptz not null -- When the password was last entered.
);
create index sessions_by_user on sessions (user_id);

create table user_totp (
  user_id text primary key references users,
  secret bytea not null, -- Sealed under the named master key; the user is authenticated with it.
  master_key_id text not null,
  last_step bigint not null default 0, -- The time step of the last accepted code, since no code is accepted twice.
  created_at timestamptz not null,
  enabled_at timestamptz -- Null until the first code was entered.
);

create table recovery_codes (
  user_id text not null references users,
  code_sha256 bytea not null,
  used_at timestamptz,
  primary key (user_id, code_sha256)
);

-- Wrong passwords and codes, counted per address, per e-mail address and for both together.
create table sign_in_throttles (
  name bytea primary key, -- SHA-256 of what is counted.
  failures int not null,
  counted_since timestamptz not null, -- Time of the first one: the count starts again a day later.
  blocked_until timestamptz not null
);
create index sign_in_throttles_by_age on sign_in_throttles (counted_since);

-- Networks from which a person has signed in: guesses from elsewhere do not delay sign-ins from there.
create table known_sites (
  name bytea primary key, -- SHA-256 of the person's address and the network.
  seen_at timestamptz not null
);
create index known_sites_by_age on known_sites (seen_at);

-- Links for the first login, each of which works once.
create table setup_links (
  token_sha256 bytea primary key,
  account_ids text[] not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  used_at timestamptz
);

create table invitations (
  account_id text not null, id text not null,
  email text not null,
  email_folded text not null,
  role text not null check (role in ('owner', 'admin', 'developer', 'support', 'viewer')),
  token_sha256 bytea not null unique,
  invited_by text not null references users,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  mailed boolean not null, -- Whether a mail with its link was queued. Only these count towards the limit of an account's mails.
  ended_at timestamptz, -- When it was accepted, withdrawn or replaced.
  primary key (account_id, id)
);
create unique index invitations_open on invitations (account_id, email_folded) where ended_at is null;
call keep_to_accounts('invitations');

create table audit_log (
  account_id text not null, id text not null, tenant int not null,
  actor_type text not null check (actor_type in ('user', 'operator')),
  user_id text,
  email text, -- The address at that time.
  action text not null,
  object_id text, before json, after json,
  -- The payment, refund or dispute whose operation the entry waits for; null: none. Such an entry is written
  -- before the processor is asked, and completed by the statement that commits the answer.
  awaits text, ip text,
  created_at timestamptz not null,
  primary key (account_id, id)
);
create index audit_log_by_user on audit_log (account_id, user_id, id);
create index audit_log_by_object on audit_log (account_id, object_id, id) where object_id is not null;
create index audit_log_awaiting on audit_log (tenant, awaits) where awaits is not null;
call keep_to_accounts('audit_log');

-- The outbox of mails.
create table mails (
  account_id text not null, id text not null,
  to_address text not null,
  subject text not null,
  text text not null,
  html text,
  -- kept: no mail server was configured.
  state text not null check (state in ('queued', 'sent', 'failed', 'kept')),
  tries int not null default 0,
  next_try_at timestamptz not null,
  sent_at timestamptz,
  error text, -- Why the last attempt failed.
  created_at timestamptz not null,
  primary key (account_id, id)
);
create index mails_due on mails (account_id, next_try_at) where state = 'queued';
call keep_to_accounts('mails');

-- At home: the databases of the installation, including home.
create table cells (
  name text primary key check (name ~ '^[a-z][a-z0-9-]{0,30}$'),
  url bytea, -- Address of the database, sealed under the named master key. Null: home.
  master_key_id text,
  state text not null check (state in ('active', 'draining')), -- draining: new accounts go elsewhere.
  revision bigint not null default 0, -- In the row of home: counts the changes of the directory.
  copied_at timestamptz not null default '-infinity', -- When a process last began to copy between home and this cell.
  created_at timestamptz not null,
  check ((url is null) = (name = 'home') and (url is null) = (master_key_id is null))
);
insert into cells (name, state, created_at) values ('home', 'active', 'epoch');

-- At home: accounts in other cells, with copies of what people see of them, and accounts that came back.
create table account_cells (
  account_id text primary key,
  cell text not null references cells,
  test_tenant int not null unique, live_tenant int not null unique,
  name text not null, processor text not null, environment text not null, activation text not null, time_zone text not null,
  revision bigint not null -- The directory's revision when the cell was set.
);
create index account_cells_by_revision on account_cells (revision);
create index account_cells_by_cell on account_cells (cell);

-- At home: the API keys of these accounts.
create table cell_keys (
  secret_sha256 bytea primary key,
  account_id text not null references account_cells
);
create index cell_keys_by_account on cell_keys (account_id);

-- Which cell of which installation this database is. No row: the installation has no cells.
create table own_cell (
  name text primary key,
  home text not null
);

-- At home: accounts that are being moved. copying: the source has them; committing: the target may have them; moved: it has.
create table account_moves (
  account_id text primary key,
  source text not null references cells,
  target text not null references cells,
  state text not null check (state in ('copying', 'committing', 'moved')),
  attempt int not null, -- Counts the attempts to hand the account over: an abandoned attempt cannot change anything.
  is_held boolean not null default false, -- The account's requests are held.
  taken int not null default 0, -- How often a server took the move over from a stalled process.
  begun_at timestamptz not null
);

-- In the source database. fenced: writes of the account are refused; gone: the account is elsewhere.
create table departures (
  account_id text primary key,
  state text not null check (state in ('copying', 'fenced', 'gone')),
  at timestamptz not null
);

-- Rows of the account that were written since, by their key.
create table departed_rows (
  n bigint primary key generated always as identity,
  account_id text not null,
  name text not null, -- Name of the table.
  key jsonb not null
);
create index departed_rows_by_account on departed_rows (account_id, n);

-- In the target database, committed together with the account's rows.
create table arrivals (
  account_id text primary key,
  attempt int not null
);

-- Runs before each change of a row of an account that is being moved, by triggers that exist only then. Parameters: the account,
-- the table, the columns of its key. Jobs across accounts skip fenced rows; all other writes are refused.
create function note_departing() returns trigger language plpgsql as $$
declare
  now_is text;
begin
  if current_setting('till.mover', true) = tg_argv[0] then
    if tg_op = 'DELETE' then return old; end if;
    return new;
  end if;
  -- The fence waits for the transactions that hold this lock.
  perform pg_advisory_xact_lock_shared(7110430, hashtext(tg_argv[0]));
  select state into now_is from departures where account_id = tg_argv[0];
  -- At home these rows route to an account that is elsewhere.
  if now_is = 'gone' and tg_table_name in ('audit_log', 'mails') and tg_op <> 'UPDATE'
    and not exists (select from own_cell where name <> 'home') then now_is := null; end if;
  if now_is in ('fenced', 'gone') then
    if tg_op <> 'INSERT' and tg_table_schema = 'public' and (current_setting('till.tenants', true) = ''
      and current_setting('till.accounts', true) = '' and tg_table_name <> 'api_keys' or tg_table_name = 'api_keys' and tg_op = 'UPDATE'
      and to_jsonb(old) - 'last_used_at' = to_jsonb(new) - 'last_used_at') then return null; end if;
    raise exception 'the account is being moved to another cell'
      using errcode = 'TM001', detail = tg_argv[0], hint = now_is;
  end if;
  if now_is = 'copying' and tg_table_name = 'connection_credentials' then
    raise exception 'the account is being moved to another cell' using errcode = 'TM001', detail = tg_argv[0];
  end if;
  if now_is = 'copying' then
    -- If a row's key changes, both keys are noted.
    insert into departed_rows (account_id, name, key)
    select distinct tg_argv[0], tg_argv[1], (select jsonb_object_agg(k, r.row -> k) from unnest(tg_argv[2:]) as k)
    from (values (to_jsonb(old)), (to_jsonb(new))) as r (row) where r.row is not null;
  end if;
  if tg_op = 'DELETE' then return old; end if;
  return new;
end
$$;

create view known_accounts as
  select account_id, name, processor, environment, activation, time_zone from accounts
  union all
  select account_id, name, processor, environment, activation, time_zone from account_cells where cell <> 'home';

create view known_tenants as
  select tenant, account_id, livemode from tenants
  union all
  select m.tenant, c.account_id, m.livemode from account_cells c
  cross join lateral (values (c.test_tenant, false), (c.live_tenant, true)) as m (tenant, livemode) where c.cell <> 'home';

-- 2. Customers and saved methods --------------------------------------------------------------------------------------
-- A gapless number for each account, mode and list: its greatest value is the number of rows, and a page is a range.
create table counters (
  tenant int not null,
  list text not null,
  last bigint not null,
  primary key (tenant, list)
) with (fillfactor = 50);
call keep_to_tenants('counters');

-- The values of metadata as an index holds them: with the tenant, cut to one length, in lower case.
create function metadata_terms(tenant int, metadata json) returns text[]
  language sql immutable parallel safe
  return array(select md5(tenant || lower(value)) from json_each_text(metadata));

-- Collation C, whatever the database's, so that all values with the same prefix are one range.
create table customers (
  tenant int not null references tenants, id text not null, seq bigint not null,
  email text not null,
  email_folded text not null collate "C",
  name text, phone text, locale text,
  external_id text collate "C",
  billing_address json, delivery_address json, date_of_birth text,
  metadata json not null,
  discarded_at timestamptz, -- The customer was created with a payment that was discarded, and is never shown.
  -- Created by itself, changed by the merchant, or named by another payment: stays even if the payment it came with is discarded.
  is_kept boolean not null default false,
  -- Created by a payment link for a buyer who typed the address; the merchant has neither changed nor used it since.
  of_links boolean not null default false,
  created_at timestamptz not null, -- Account time.
  primary key (tenant, id), constraint customers_email_taken unique (tenant, email_folded),
  constraint customers_external_id_taken unique (tenant, external_id), unique (tenant, seq)
);
create index customers_by_name on customers (tenant, (lower(name) collate "C")) where name is not null;
create index customers_by_last_name
  on customers (tenant, (lower(regexp_replace(name, '^.*\s', '')) collate "C")) where name is not null;
create index customers_by_metadata on customers using gin (metadata_terms(tenant, metadata))
  where metadata::text <> '{}';
-- Hidden customers have list numbers too: lists subtract these.
create index customers_discarded on customers (tenant, seq) where discarded_at is not null;
call keep_to_tenants('customers');

create table payment_methods (
  tenant int not null references tenants, id text not null,
  customer_id text not null,
  type text not null check (type ~ '^(card|processor_[a-z])$'),
  brand text, bin text, last4 text, exp_month int, exp_year int,
  recurring_processing_model text not null
    check (recurring_processing_model in ('card_on_file', 'subscription', 'unscheduled_card_on_file')),
  provider text not null check (provider ~ '^processor_[a-z]$'),
  -- The merchant account at the processor that stores it, the only one that is asked about it. Null: not known.
  processor_identity text,
  token bytea not null, -- The upstream's token, sealed; account, mode and id are authenticated with it.
  key_version int not null,
  token_name bytea not null, -- Keyed hash of the token, to find the same token without decrypting any.
  upstream_customer text, -- The upstream's own id of the customer.
  network_transaction_reference text,
  saved_by text not null, -- The latest payment that saved it.
  gone_at timestamptz, -- When the upstream said that it must not be charged again. Account time, like the next two.
  removed_at timestamptz,
  created_at timestamptz not null,
  primary key (tenant, id), foreign key (tenant, customer_id) references customers (tenant, id)
);
create unique index payment_methods_one_per_token
  on payment_methods (tenant, customer_id, token_name) where removed_at is null;
create index payment_methods_by_token on payment_methods (tenant, token_name);
create index payment_methods_by_customer on payment_methods (tenant, customer_id, id) where removed_at is null;
call keep_to_tenants('payment_methods');

-- Tokens that the upstream has deleted: a method that an earlier payment saves under one may not be chargeable. Kept as long as
-- removed methods are.
create table forgotten_tokens (
  tenant int not null references tenants,
  token_name bytea not null, -- As in payment_methods.
  processor_identity text, -- The merchant account at the processor that deleted it. Null: not known.
  forgotten_at timestamptz not null, -- Most recent time. Account time.
  primary key (tenant, token_name)
);
call keep_to_tenants('forgotten_tokens');

-- Payment links. Their addresses are derived from account, mode and id (payment-links/link-token.ts) and not stored, so that a
-- merchant can copy them at any time.
create table payment_links (
  tenant int not null references tenants, id text not null, seq bigint not null,
  title text not null, description text, currency text not null,
  -- Either fixed, or a range that the buyer chooses from. Minor units.
  amount bigint, amount_min bigint, amount_max bigint, amount_suggested bigint,
  max_payments int,
  expires_at timestamptz, -- Account time.
  reference_label text, save_payment_method boolean not null,
  success_url text, failure_url text,
  metadata json not null,
  is_on boolean not null,
  -- Attempts without an outcome, and payments that succeeded, with their sum. The commits of these payments update them, so that
  -- only one of two buyers of a link that can be paid once succeeds.
  open_count int not null default 0 check (open_count >= 0),
  payments_count int not null default 0, payments_amount bigint not null default 0,
  event_count int not null,
  created_at timestamptz not null, -- Account time.
  primary key (tenant, id), unique (tenant, seq),
  check ((amount is null) = (amount_min is not null and amount_max is not null))
) with (fillfactor = 70);
call keep_to_tenants('payment_links');

-- The payment that a form of a link's page began, and the browser: a form that is sent again begins no second payment.
create table payment_link_attempts (
  tenant int not null, link_id text not null, visit_sha256 bytea not null,
  browser_sha256 bytea, -- Hash of a cookie; null: the browser accepts none.
  network bytea, -- Keyed hash of the browser's network; null: a card was entered, which card_declines counts.
  payment_id text not null,
  created_at timestamptz not null, -- Account time.
  constraint payment_link_attempts_once primary key (tenant, link_id, visit_sha256),
  foreign key (tenant, link_id) references payment_links (tenant, id)
);
create index payment_link_attempts_by_browser on payment_link_attempts (tenant, link_id, browser_sha256, created_at)
  where browser_sha256 is not null;
create index payment_link_attempts_by_network on payment_link_attempts (tenant, link_id, network, created_at)
  where network is not null;
call keep_to_tenants('payment_link_attempts');

-- How many mails of a kind an account has sent to buyers on the last UTC day on which it sent any.
create table buyer_mails (
  account_id text not null references accounts,
  kind text not null check (kind in ('link', 'receipt', 'test_receipt')),
  to_sha256 bytea not null, -- Hash of the recipient's address; empty: all recipients.
  day date not null, count int not null,
  primary key (account_id, kind, to_sha256)
);
call keep_to_accounts('buyer_mails');

-- 3. Payments and their operations ------------------------------------------------------------------------------------
create table payments (
  tenant int not null,
  id text not null,
  seq bigint not null,
  status text not null check (status in ('requires_action', 'authorized', 'succeeded', 'failed', 'voided')),
  -- Counts the changes of this row; an update requires the version that was read.
  version int not null,
  -- Counts the events of this payment, to number each event.
  event_count int not null,
  amount bigint not null check (amount > 0),
  currency text not null,
  -- Amounts of pending and succeeded refunds, and the amount that chargebacks keep from being refunded.
  refunded_amount bigint not null default 0,
  disputed_amount bigint not null default 0,
  customer_id text,
  reference text collate "C",
  shopper_statement text,
  capture_method text not null check (capture_method in ('automatic', 'manual')),
  method_type text not null check (method_type ~ '^(card|card_fields|processor_[a-z])$'),
  brand text,
  bin text,
  last4 text,
  exp_month int,
  exp_year int,
  payment_method_id text,
  renews_payment text,
  payment_link_id text, -- The link with which the buyer paid.
  -- The model under which the instrument is to be saved; null: it is not saved.
  save_model text,
  merchant_initiated boolean not null default false,
  failure_code text,
  authentication text not null default 'never' check (authentication in ('never', 'automatic', 'always')),
  three_d_secure json,
  avs json,
  -- The upstream's ids of this payment (processors/port/port.ts, UpstreamIds).
  upstream json not null default '{}',
  network_transaction_reference text,
  -- The merchant account at the processor that made it, the only one that is asked about it. Null: not known.
  processor_identity text,
  -- Id of the upstream's risk session, the same on every call about the payment.
  risk_session text,
  -- Whether the payment ever waited for the buyer: confirm stays idempotent after it settled.
  required_action boolean not null default false,
  next_action text,
  redirect_url text,
  -- End of the confirmation window. Account time.
  confirm_by timestamptz,
  -- Parameters with which the buyer's browser returned from the upstream, newest first, and when it first returned (account time).
  returned json,
  buyer_done_at timestamptz,
  -- Counts definite answers to confirm: the next attempt has another upstream key.
  confirm_attempt int not null default 0,
  -- Account time, like the next one.
  authorization_guaranteed_until timestamptz,
  authorization_expires timestamptz,
  -- Backoff of an expiry that could not begin. Account time, like its deadline.
  expiry_tries int not null default 0,
  expiry_try_at timestamptz,
  -- The request without card data and without what columns of the payment hold: confirm and recovery use both.
  request json not null,
  -- Account time.
  created_at timestamptz not null,
  primary key (tenant, id),
  -- In order of creation, with the columns that lists filter by: a filter without an index of its own reads only this one.
  constraint payments_by_place unique (tenant, seq)
    include (status, amount, currency, method_type, brand, last4, capture_method, failure_code, created_at),
  foreign key (tenant, customer_id) references customers (tenant, id),
  check ((status = 'failed') = (failure_code is not null)),
  constraint payments_not_over_refunded check (refunded_amount between 0 and amount)
) with (fillfactor = 85);

create index payments_by_customer on payments (tenant, customer_id, seq) where customer_id is not null;
create index payments_by_link on payments (tenant, payment_link_id, seq) where payment_link_id is not null;
create index payments_by_reference on payments (tenant, reference, seq) where reference is not null;
create index payments_by_status on payments (tenant, status, seq);
create index payments_by_failure on payments (tenant, failure_code, seq) where failure_code is not null;
create index payments_by_last4 on payments (tenant, last4, seq) where last4 is not null;
create index payments_by_network_reference on payments (tenant, network_transaction_reference)
  where network_transaction_reference is not null;
create index payments_waiting on payments (tenant, confirm_by) where status = 'requires_action';
create index payments_overdue
  on payments (tenant, greatest(confirm_by, expiry_try_at)) where status = 'requires_action';
create index payments_holds on payments (tenant, authorization_expires) where status = 'authorized';
create index payments_guarantees on payments (tenant, authorization_guaranteed_until) where status = 'authorized';
-- Messages of upstreams about a payment may contain only the upstream's ids.
create index payments_by_psp on payments (tenant, (upstream ->> 'psp')) where (upstream ->> 'psp') is not null;
create index payments_by_order on payments (tenant, (upstream ->> 'order'))
  where (upstream ->> 'order') is not null;
create index payments_by_authorization on payments (tenant, (upstream ->> 'authorization'))
  where (upstream ->> 'authorization') is not null;
create index payments_by_capture on payments (tenant, (upstream ->> 'capture'))
  where (upstream ->> 'capture') is not null;
-- Payments that still wait for their token, by the upstream's id.
create index payments_unsaved on payments (tenant, (upstream ->> 'order'))
  where save_model is not null and payment_method_id is null;
call keep_to_tenants('payments');

-- Holds whose guarantee ends before this time were announced by mail. Account time.
create table hold_notices (tenant int primary key references tenants, through timestamptz not null);
call keep_to_tenants('hold_notices');

-- Open operations: effects on payments, refunds, disputes and saved methods that a processor is asked for. A row is inserted with
-- the intent and deleted with the answer.
create table operations (
  tenant int not null,
  -- Id of the payment, refund, dispute or saved method that it changes: at most one operation of each is open.
  subject text not null,
  kind text not null check (kind in (
    'charge', 'confirm', 'capture', 'void', 'expire', 'cancel', 'refund', 'track_refund', 'settle_refund', 'accept', 'defend',
    'conclude', 'remove')),
  -- The idempotency key at the processor; null: the subject followed by `:c`, as charges begin.
  upstream_key text check (length(upstream_key) <= 64),
  -- intent: a process works on it until the lease ends; unknown: no definite answer came, recovery or a retry asks again.
  state text not null check (state in ('intent', 'unknown')),
  tries int not null default 0,
  lease_owner bigint not null,
  lease_until timestamptz not null,
  next_try_at timestamptz not null,
  -- Account time.
  created_at timestamptz not null,
  -- Of a payment without an answer: its list number, its columns except for default values, and its request. The payment is
  -- inserted with the answer.
  seq bigint,
  draft json,
  request json,
  check ((draft is null) = (seq is null) and (draft is null) = (request is null)),
  -- No foreign keys: an operation is only inserted by a statement that reads or inserts its subject.
  primary key (tenant, subject)
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 0);

create index operations_leased on operations (lease_owner) where state = 'intent';
-- Recovery looks for due operations of payments, refunds, disputes and removals separately, so that it does not read many of
-- one kind to find another.
create index operations_due_payments on operations (tenant, next_try_at)
  where kind in ('charge', 'confirm', 'capture', 'void', 'expire', 'cancel');
create index operations_due_refunds on operations (tenant, next_try_at)
  where kind in ('refund', 'track_refund', 'settle_refund');
create index operations_due_disputes on operations (tenant, next_try_at)
  where kind in ('accept', 'defend', 'conclude');
create index operations_due_removals on operations (tenant, next_try_at) where kind in ('remove');
call keep_to_tenants('operations');

-- Payments that the processor certainly did not carry out, and whose merchant was asked to try again. They are never shown, and
-- are stored because the processor may later say that it charged one.
create table discarded_payments (
  tenant int not null,
  id text not null,
  -- Its list number.
  seq bigint not null,
  -- As in its operation.
  draft json not null,
  -- Account time, like the next one.
  created_at timestamptz not null,
  discarded_at timestamptz not null,
  primary key (tenant, id)
);
call keep_to_tenants('discarded_payments');

-- The hosted page of a payment that waits for its buyer. The token itself is derived, never stored.
create table checkout_tokens (
  tenant int not null, token_sha256 bytea not null, payment_id text not null,
  -- The buyer left from the hosted page: confirm as soon as the browser returns.
  confirm_on_return boolean not null default false,
  refusals int not null default 0, -- Cards refused on this page, so that it cannot be used to try numbers.
  attempts int not null default 0,
  receipts int not null default 0, -- Receipts mailed at the buyer's request.
  -- The browser that sent the first form; others are only shown that there is one.
  browser_sha256 bytea,
  language text, -- Chosen on the page.
  bank_url text, -- The bank's challenge page for the card that was entered last.
  busy_owner bigint not null default 0, -- The process that is sending a card at this moment; 0: none.
  busy_until timestamptz not null default '-infinity',
  created_at timestamptz not null, -- Account time.
  sent_at timestamptz, -- Account time at which the buyer last sent a card or went on to the wallet; kept for payments of links.
  primary key (tenant, token_sha256), foreign key (tenant, payment_id) references payments (tenant, id)
);
create index checkout_tokens_by_payment on checkout_tokens (tenant, payment_id);
call keep_to_tenants('checkout_tokens');

-- Declines on the checkout pages, against card testing, and attempts in progress, which may become declines. Removed once none of
-- them counts any more.
create table card_declines (
  tenant int not null, kind text not null check (kind in ('address', 'card', 'link', 'account')),
  name bytea not null, -- Keyed hash of what is counted, with a key of the account.
  declines int not null, -- Declines since `since`, which is account time.
  since timestamptz not null,
  open int not null, opened_at timestamptz not null, -- Attempts in progress, and when the first of them began.
  counted_at timestamptz not null, -- The latest attempt.
  primary key (tenant, kind, name)
) with (fillfactor = 70);
create index card_declines_by_age on card_declines (counted_at);
call keep_to_tenants('card_declines');

-- Attempts that were delayed or refused because of these counts.
create table card_testing_marks (
  tenant int not null, payment_id text not null,
  effect text not null check (effect in ('slowed', 'refused')),
  because text not null check (because in ('address', 'card', 'link', 'account')),
  times int not null,
  at timestamptz not null, -- Time of the first one. Account time.
  primary key (tenant, payment_id, effect, because), foreign key (tenant, payment_id) references payments (tenant, id)
);
create index card_testing_marks_by_time on card_testing_marks (tenant, at);
call keep_to_tenants('card_testing_marks');

-- Alerts: messages of a processor that contradict a settled payment and need attention. One of each kind.
create table payment_alerts (
  tenant int not null, payment_id text not null,
  kind text not null,
  -- The amount that the processor took back when the alert was raised, less what was refunded by then. Null: no money moved.
  amount bigint check (amount >= 0),
  acknowledged_at timestamptz, -- Account time at which a person marked it as dealt with, and who.
  acknowledged_by text,
  created_at timestamptz not null, -- Account time.
  primary key (tenant, payment_id, kind), foreign key (tenant, payment_id) references payments (tenant, id)
);
create index payment_alerts_open on payment_alerts (tenant, created_at) where acknowledged_at is null;
call keep_to_tenants('payment_alerts');

-- Amounts that processors took from settled payments by chargebacks and reversals, and gave back. Rows are written when the
-- movement becomes known and never change, so that the books of a past month stay as they were (`book_taken_money`).
create table payment_movements (
  tenant int not null, payment_id text not null,
  number int not null, -- Gapless within the payment.
  type text not null check (type in ('chargeback', 'chargeback_reversed', 'reversal')),
  dispute_id text, -- Null: a reversal.
  amount bigint not null, currency text not null, -- In minor units, negative where money went out.
  created_at timestamptz not null, -- Account time.
  primary key (tenant, payment_id, number), foreign key (tenant, payment_id) references payments (tenant, id),
  check ((type = 'reversal') = (dispute_id is null))
);
create index payment_movements_by_time on payment_movements (tenant, created_at, payment_id, number);
call keep_to_tenants('payment_movements');

-- 4. Refunds and disputes ---------------------------------------------------------------------------------------------
create table refunds (
  tenant int not null references tenants, id text not null, seq bigint not null, payment_id text not null,
  amount bigint not null check (amount > 0),
  currency text not null,
  status text not null check (status in ('pending', 'succeeded', 'failed')),
  reason text check (reason in ('duplicate', 'fraudulent', 'requested_by_customer', 'other')),
  note text, failure_code text, failure_message text,
  metadata json not null,
  upstream_id text,
  processor_identity text, -- The merchant account at the processor that was asked for it. Null: not known.
  is_unsent boolean not null default false, -- The processor certainly carried out none of the requests for it yet.
  version int not null, -- As in payments.
  event_count int not null,
  created_at timestamptz not null, -- Account time.
  -- Account time at which a person marked its failure as dealt with, and who.
  acknowledged_at timestamptz, acknowledged_by text,
  primary key (tenant, id), unique (tenant, seq), foreign key (tenant, payment_id) references payments (tenant, id),
  check ((status = 'failed') = (failure_code is not null))
) with (fillfactor = 85);
create index refunds_by_payment on refunds (tenant, payment_id, seq);
create index refunds_by_status on refunds (tenant, status, seq);
create index refunds_failed_open on refunds (tenant, seq) where status = 'failed' and acknowledged_at is null;
create index refunds_by_metadata on refunds using gin (metadata_terms(tenant, metadata)) where metadata::text <> '{}';
create unique index refunds_by_upstream_id on refunds (tenant, upstream_id) where upstream_id is not null;
call keep_to_tenants('refunds');

-- Requests above the limit of a key or role, which wait for a person. `result_id` is chosen when the request is approved, so that a
-- refund is made once; `run_at` (real time) is when the next attempt is due. Other times are account time.
create table approvals (
  tenant int not null references tenants, id text not null,
  status text not null check (status in ('pending', 'approved', 'refused', 'expired')),
  action text not null check (action in ('refund', 'capture', 'payment_link')),
  payment_id text, -- Null: the request is for a payment link, which is created when it is approved.
  amount bigint not null check (amount > 0), currency text not null,
  request jsonb not null, -- The request.
  requested_by text not null, requester_email text, -- The API key, or the person and their address.
  decided_by text, reason text,
  result_id text, failure_code text, failure_message text,
  run_at timestamptz, runs int not null,
  created_at timestamptz not null, expires_at timestamptz not null, decided_at timestamptz,
  primary key (tenant, id)
);
create index approvals_pending on approvals (tenant, expires_at) where status = 'pending';
create index approvals_to_run on approvals (tenant, run_at) where run_at is not null;
call keep_to_tenants('approvals');

create table disputes (
  tenant int not null references tenants, id text not null, seq bigint not null, payment_id text not null,
  customer_id text,
  amount bigint check (amount > 0), -- Null: the upstream named no amount, so the whole payment is disputed.
  currency text,
  state text not null
    check (state in ('information_request', 'chargeback', 'pre_arbitration', 'scheme_arbitration', 'second_chargeback')),
  status text not null
    check (status in ('new', 'action_required', 'challenged', 'recovered', 'accepted', 'lost', 'won')),
  -- Whether accepting it returns the money even if it only asks for information, as at some processors.
  inquiry_refunds boolean not null default false,
  -- deadline: nobody answered by `respond_by`, so Till concluded it. A later message of the processor overrides that.
  concluded_by text, reason text,
  network_reason_code text, -- The scheme's own code, as reported.
  respond_by timestamptz, -- Account time; null: the upstream names no deadline.
  raised_at timestamptz, arn text,
  metadata json not null default '{}',
  upstream_id text not null,
  processor_identity text, -- The merchant account at the processor that has it. Null: that of its payment.
  version int not null, -- As in payments.
  event_count int not null,
  action_since timestamptz, -- Account time since when an answer has been due.
  -- Reminders of the current deadline that were sent: 1 after the one 72 hours before it, 2 after the one 24 hours before it.
  reminders int not null default 0,
  -- Backoff of a conclusion or reminder that could not be written. Account time.
  sweep_tries int not null default 0,
  sweep_try_at timestamptz,
  -- Counts definite answers of the processor: the next operation has another upstream key.
  operations_done int not null default 0,
  created_at timestamptz not null, -- Account time.
  primary key (tenant, id), constraint disputes_known unique (tenant, upstream_id), unique (tenant, seq),
  foreign key (tenant, payment_id) references payments (tenant, id)
) with (fillfactor = 85);
create index disputes_by_payment on disputes (tenant, payment_id, seq);
create index disputes_by_status on disputes (tenant, status, seq);
create index disputes_by_creation on disputes (tenant, created_at);
create index disputes_by_customer on disputes (tenant, customer_id, seq) where customer_id is not null;
create index disputes_by_arn on disputes (tenant, arn) where arn is not null;
create index disputes_due on disputes (tenant, respond_by) where status = 'action_required';
create index disputes_overdue
  on disputes (tenant, greatest(respond_by, sweep_try_at)) where status = 'action_required';
create index disputes_over on disputes (tenant, seq) where status in ('accepted', 'lost', 'won', 'recovered');
call keep_to_tenants('disputes');

-- Whether a dispute ever took the money, even if it was won later. A request for information does not, unless accepting it returns
-- the money (`inquiry_refunds`) and the processor or the merchant accepted it; a missed deadline does not count as that.
create function took_money(d disputes) returns boolean language sql immutable as $$
  select d.state <> 'information_request' or d.inquiry_refunds
    and (d.status in ('lost', 'recovered') or (d.status = 'accepted' and d.concluded_by is null))
$$;

-- Whether it has the money now: it is open, or was lost or accepted.
create function takes_money(d disputes) returns boolean language sql immutable as $$
  select took_money(d) and d.status not in ('won', 'recovered')
$$;

-- The disputed amount of the payment. An amount in another currency cannot be compared, so it counts as the whole payment.
create function disputed_share(d disputes) returns bigint language sql stable as $$
  select case when d.currency <> p.currency then p.amount else least(coalesce(d.amount, p.amount), p.amount) end
  from payments p
  where p.tenant = d.tenant and p.id = d.payment_id
$$;

-- The amount of its payment that a dispute covers.
create function disputed_part(d disputes) returns bigint language sql stable as $$
  select case when takes_money(d) then disputed_share(d) else 0 end
$$;

-- The payment carries the sum, so that a refund finds it in the row that it locks. The lock is taken first, so that the sum includes
-- everything that was committed before, even if other disputes of the payment change at the same time.
create function keep_disputed_amount() returns trigger language plpgsql as $$
begin
  perform from payments p
  where p.tenant = new.tenant and p.id = new.payment_id
  for no key update;
  update payments p set disputed_amount = (
    select coalesce(sum(disputed_part(d)), 0) from disputes d
    where d.tenant = new.tenant and d.payment_id = new.payment_id)
  where p.tenant = new.tenant and p.id = new.payment_id;
  return null;
end
$$;

create trigger disputes_keep_disputed_amount
  after insert or update of state, status, amount, currency, concluded_by on disputes
  for each row execute function keep_disputed_amount();

-- Books what disputes and reversals of a payment took or gave back since the last booking. A processor may report the same money by a
-- dispute and by a reversal of the capture, in any order: money that a dispute took is not booked as a reversal, and such a booking is
-- reversed. The lock is taken first, so that the rest sees everything that was committed before it.
create function book_taken_money(of_tenant int, of_payment text, at timestamptz) returns void language plpgsql as $$
begin
  perform from payments where tenant = of_tenant and id = of_payment for no key update;
  insert into payment_movements (tenant, payment_id, number, type, dispute_id, amount, currency, created_at)
  with booked as (
    select m.dispute_id, m.currency, sum(m.amount)::bigint as net from payment_movements m
    where m.tenant = of_tenant and m.payment_id = of_payment
    group by m.dispute_id, m.currency having sum(m.amount) <> 0),
  taken as (
    select d.id as dispute_id, coalesce(d.currency, p.currency) as currency, -coalesce(d.amount, p.amount) as net
    from disputes d join payments p on p.tenant = d.tenant and p.id = d.payment_id
    where d.tenant = of_tenant and d.payment_id = of_payment and takes_money(d)),
  covered as (
    select coalesce(sum(disputed_share(d)), 0) as amount from disputes d
    where d.tenant = of_tenant and d.payment_id = of_payment and took_money(d)),
  reversed as (
    select -coalesce(sum(case when a.kind = 'capture_reversed' then greatest(a.amount - c.amount, 0) else a.amount end), 0)::bigint as net
    from covered c left join payment_alerts a on a.tenant = of_tenant and a.payment_id = of_payment),
  due as (
    select 1 as place, 'chargeback_reversed' as type, b.dispute_id, -b.net as amount, b.currency from booked b
    where b.dispute_id is not null and (b.dispute_id, b.currency, b.net) not in (select dispute_id, currency, net from taken)
    union all
    select 2, 'chargeback', t.dispute_id, t.net, t.currency from taken t
    where (t.dispute_id, t.currency, t.net) not in (
      select dispute_id, currency, net from booked where dispute_id is not null)
    union all
    select 3, 'reversal', null, r.net - coalesce((select net from booked where dispute_id is null), 0), p.currency
    from reversed r join payments p on p.tenant = of_tenant and p.id = of_payment)
  select of_tenant, of_payment, row_number() over (order by d.place, d.dispute_id) + coalesce(
      (select max(m.number) from payment_movements m where m.tenant = of_tenant and m.payment_id = of_payment), 0),
    d.type, d.dispute_id, d.amount, d.currency, at
  from due d where d.amount <> 0;
end
$$;

-- Sets the amount that was taken back in an alert that has just been raised, and books it: the amount that the processor names, or else
-- the whole payment, but never more than refunds and other alerts have left.
create function book_reversal(of_tenant int, of_payment text, of_kind text, said bigint, at timestamptz)
  returns void language plpgsql as $$
begin
  perform from payments where tenant = of_tenant and id = of_payment for no key update;
  update payment_alerts a set amount = greatest(0, least(coalesce(said, p.amount), p.amount
    - (select coalesce(sum(r.amount), 0) from refunds r
       where r.tenant = of_tenant and r.payment_id = of_payment and r.status = 'succeeded')
    - (select coalesce(sum(o.amount), 0) from payment_alerts o
       where o.tenant = of_tenant and o.payment_id = of_payment and o.kind <> of_kind)))
  from payments p
  where p.tenant = of_tenant and p.id = of_payment
    and a.tenant = of_tenant and a.payment_id = of_payment and a.kind = of_kind;
  perform book_taken_money(of_tenant, of_payment, at);
end
$$;

-- Evidence that was submitted or is about to be: one row for each defence.
create table dispute_evidence (
  tenant int not null, dispute_id text not null,
  attempt int not null, -- The dispute's `operations_done` when the defence began.
  reason_code text, statement text,
  evidence json not null, -- [{type, text, file}], the file by its id.
  submitted_at timestamptz, -- When the processor accepted it; null: not, or not yet known. Account time.
  created_at timestamptz not null, -- Account time.
  primary key (tenant, dispute_id, attempt), foreign key (tenant, dispute_id) references disputes (tenant, id)
);
call keep_to_tenants('dispute_evidence');

-- Drafts of answers to disputes, removed once the dispute is answered or closed.
create table dispute_drafts (
  tenant int not null, dispute_id text not null,
  version int not null check (version >= 0), -- Counts changes of the content; 0: none yet.
  content json, -- {statement, reason_code, evidence: [{type, text, files}]}.
  files text[] not null default '{}', -- Ids of the content's files.
  edited_by text, edited_at timestamptz, -- An e-mail address; account time.
  logged_at timestamptz, -- When the audit log last said who edits it. Account time.
  assignee text,
  primary key (tenant, dispute_id), foreign key (tenant, dispute_id) references disputes (tenant, id),
  check ((version = 0) = (content is null) and (content is null) = (edited_by is null) and (content is null) = (edited_at is null))
) with (fillfactor = 85);
call keep_to_tenants('dispute_drafts');

-- Removes a draft with the end of its dispute. A trigger's statement sees what was committed while the update waited for its row.
create function remove_closed_draft() returns trigger language plpgsql as $$
begin
  delete from dispute_drafts w where w.tenant = new.tenant and w.dispute_id = new.id;
  return null;
end
$$;

create trigger disputes_remove_draft after update of status on disputes
  for each row when (new.status not in ('new', 'action_required')) execute function remove_closed_draft();

create table files (
  tenant int not null references tenants, id text not null,
  name text not null,
  content_type text not null check (content_type in ('application/pdf', 'image/jpeg', 'image/png')),
  size int not null check (size > 0),
  sha256 bytea not null,
  content bytea not null,
  created_at timestamptz not null, -- Account time.
  primary key (tenant, id)
);
-- Not compressed by the database, since these formats already are.
alter table files alter column content set storage external;
call keep_to_tenants('files');

-- Payouts of processors, from their reports. Amounts in minor units of the payout's currency.
create table payouts (
  tenant int not null references tenants, id text not null, seq bigint not null,
  provider text not null check (provider ~ '^processor_[a-z]$'),
  -- The processor's names for account and payout: a report of the same payout has the same names.
  merchant_account text not null, reference text not null,
  currency text not null,
  gross bigint not null, fees bigint not null,
  arrival_date text not null check (arrival_date ~ '^[0-9]{4}-[0-9]{2}-[0-9]{2}$'),
  lines_count int not null, unmatched_count int not null,
  digest text not null, -- Digest of its lines: unchanged if a report has nothing new.
  corrections int not null default 0, -- How often a later report differed.
  match_tries int not null, -- How often lines were judged again.
  match_at timestamptz, -- Real time of the next attempt. Null: every line matches, and no refund is pending.
  created_at timestamptz not null, -- Account time.
  primary key (tenant, id), unique (tenant, seq),
  constraint payouts_known unique (tenant, provider, merchant_account, reference, currency)
);
create index payouts_by_date on payouts (tenant, arrival_date, seq);
create index payouts_to_match on payouts (tenant, match_at) where match_at is not null;
call keep_to_tenants('payouts');

create table payout_lines (
  tenant int not null, id text not null, payout_id text not null,
  number int not null, -- Gapless within the payout, so that a page is a range.
  type text not null
    check (type in ('payment', 'refund', 'chargeback', 'chargeback_reversed', 'fee', 'adjustment')),
  payment_id text, refund_id text, dispute_id text,
  gross bigint not null, fee bigint not null,
  upstream_reference text not null,
  unmatched text -- Why it does not match. Null: it does.
    check (unmatched in ('unknown', 'amount_differs', 'not_succeeded', 'paid_before', 'reported_before')),
  awaits_refund boolean not null default false, -- Its refund was pending when the line was judged, so it is judged again.
  at timestamptz not null, -- From the report.
  -- The report's values by which the line is matched, now and later.
  upstream_payment text, named_payment text, named_refund text, original_amount bigint, original_currency text,
  identity text, -- The same in every report that contains this line. Null: no other report can contain it.
  -- No foreign keys: a large report is one statement for each thousand lines, written before its payout is.
  primary key (tenant, id), unique (tenant, payout_id, number)
);
create index payout_lines_by_payment on payout_lines (tenant, payment_id) where payment_id is not null;
-- Lines to judge again.
create index payout_lines_open on payout_lines (tenant, payout_id, number) where unmatched is not null or awaits_refund;
create index payout_lines_by_identity on payout_lines (tenant, identity) where identity is not null;
call keep_to_tenants('payout_lines');

-- Imported reports, so that the same file is not read again.
create table settlement_reports (
  tenant int not null references tenants, sha256 bytea not null,
  name text not null,
  payouts text[] not null,
  imported_by text, -- An e-mail address; null: the operator at the command line.
  imported_at timestamptz not null, -- Account time.
  primary key (tenant, sha256)
);
call keep_to_tenants('settlement_reports');

-- 5. Events and webhooks ----------------------------------------------------------------------------------------------
create table events (
  tenant int not null,
  id text not null,
  seq bigint not null,
  type text not null,
  object_id text not null,
  sequence int not null,
  -- The object as retrieve showed it at that time, byte for byte. The event's other fields are the other columns.
  object text not null,
  -- Status of the request that caused the event and whose answer is its object; null: the event is no request's answer.
  answer_status smallint,
  -- Account time.
  created_at timestamptz not null,
  primary key (tenant, id),
  unique (tenant, seq),
  unique (tenant, object_id, sequence)
);

-- A payment or refund has one outcome, and so one event for it. Most end with their first event, which is left out of this index; the
-- trigger compares a later event with the first one.
create unique index events_one_per_outcome on events (tenant, object_id, type)
  where type in ('payment.succeeded', 'payment.failed', 'refund.succeeded', 'refund.failed') and sequence > 1;

create function refuse_second_outcome() returns trigger language plpgsql as $$
begin
  if exists (select from events e
    where e.tenant = new.tenant and e.object_id = new.object_id and e.sequence = 1 and e.type = new.type) then
    raise unique_violation using message = 'the object has this outcome already', constraint = 'events_one_per_outcome';
  end if;
  return null;
end
$$;

create trigger events_one_per_outcome after insert on events for each row
  when (new.sequence > 1 and new.type in ('payment.succeeded', 'payment.failed', 'refund.succeeded', 'refund.failed'))
  execute function refuse_second_outcome();

create index events_by_type on events (tenant, type, seq);
call keep_to_tenants('events');

create table webhook_endpoints (
  account_id text not null references accounts, id text not null,
  url text not null,
  name text, -- The merchant's name for it; null: its URL is shown.
  secret bytea not null, -- The signing secret, sealed; account and id are authenticated with it.
  key_version int not null,
  additional_events boolean not null, -- Whether it also gets event types beyond the contract's four.
  event_types text[], -- Only these, or groups such as `payment.*`, whatever `additional_events` says; null: no filter.
  payload text not null default 'full' check (payload in ('full', 'thin')),
  secret_overlap_seconds int not null default 0, -- How long a replaced secret signs together with the new one.
  previous_secret bytea, previous_key_version int, previous_secret_until timestamptz, -- Sealed as `secret`. Real time.
  status text not null check (status in ('active', 'paused')),
  paused_reason text check (paused_reason in ('merchant', 'failing')),
  -- The notice that the owners still have to get, and when that is tried again.
  notice_due text check (notice_due in ('failing', 'paused')),
  notice_mail_at timestamptz,
  last_failure_at timestamptz, -- To the minute; null after an hour without a failure.
  alerted_at timestamptz, -- When the owners were last notified of failures: once until an hour passes without a failure.
  first_failure_at timestamptz, -- The first of the current series of failures; null: the latest attempt succeeded.
  replay_until timestamptz, -- When the last delivery of a replay is due; no other replay may begin before. Real time.
  test_count int not null default 0, -- Counts the test events, to number each of them.
  created_at timestamptz not null,
  deleted_at timestamptz,
  primary key (account_id, id), check ((status = 'paused') = (paused_reason is not null))
);
create index webhook_endpoints_by_id on webhook_endpoints (id);
create index webhook_endpoints_to_notify on webhook_endpoints (account_id, id) where notice_due is not null;
create index webhook_endpoints_failing on webhook_endpoints (account_id, id) where last_failure_at is not null;
-- Endpoints that an event is sent to. Deleted ones, which may be many, are not read.
create index webhook_endpoints_present on webhook_endpoints (account_id, id) where deleted_at is null;
create index webhook_endpoints_with_two_secrets on webhook_endpoints (account_id, id) where previous_secret is not null;
call keep_to_accounts('webhook_endpoints');

-- One row for each event and endpoint, written in the commit of the event. No foreign keys: a row is only inserted by the statement
-- that writes the event and reads the endpoint.
create table deliveries (
  account_id text not null, endpoint_id text not null,
  id text not null, -- Derived from event and endpoint (events/events.ts), and so sorted by the event's time.
  tenant int not null,
  event_id text not null,
  event_type text not null,
  state text not null check (state in ('pending', 'succeeded', 'failed', 'parked')),
  tries int not null default 0, -- Attempts begun. An attempt may complete the delivery only if no later one has begun.
  -- Attempts ended since the event or the latest manual retry: the place in the schedule.
  attempts int not null default 0,
  crashes int not null default 0, -- Consecutive attempts that never ended because their process died.
  next_attempt_at timestamptz not null default '-infinity', -- A new delivery is due at once.
  lease_until timestamptz not null default '-infinity',
  created_at timestamptz not null, -- Time of the event. Account time.
  ended_at timestamptz,
  primary key (account_id, endpoint_id, id)
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 0);
create index deliveries_pending on deliveries (account_id, endpoint_id, next_attempt_at, id) where state = 'pending';
create index deliveries_unsuccessful on deliveries (account_id, endpoint_id, id) where state in ('failed', 'parked');
call keep_to_accounts('deliveries');

-- Delivery attempts, kept for 30 days: a partition for each week is created ahead and dropped whole. The request's body is the event.
create table delivery_attempts (
  account_id text not null, endpoint_id text not null, delivery_id text not null,
  number int not null, -- The delivery's `tries` when it began.
  tenant int not null,
  event_id text not null,
  url text not null,
  request_headers json not null,
  answer_status int, answer_headers json,
  answer_body text, -- The first 8 KiB, as text.
  error text, -- Why there was no answer.
  duration_ms int not null,
  thin boolean not null default false, -- Whether the event was sent without its object.
  at timestamptz not null, account_at timestamptz not null, -- Real time and account time.
  primary key (account_id, endpoint_id, delivery_id, number, at)
) partition by range (at);
-- Attempts are written nearly in the order in which they began.
create index delivery_attempts_by_time on delivery_attempts using brin (at);
-- Takes rows of weeks for which no partition was created.
create table delivery_attempts_other partition of delivery_attempts default;
call keep_to_accounts('delivery_attempts');

-- 6. Notifications of processors --------------------------------------------------------------------------------------
-- Notifications of processors: stored once, then applied.
create table processor_notifications (
  tenant int not null references tenants,
  processor text not null check (processor ~ '^processor_[a-z]$'),
  id text not null, -- Keyed hash of its identifying fields, which may hold a token. Repeats have the same id.
  type text not null,
  processor_identity text, -- The merchant account at the processor that it is about. Null: not known.
  body bytea, -- The verified notification as JSON, sealed; removed once it is applied, since it may hold a token.
  key_version int,
  -- received: not applied yet; parked: given up after many attempts until an operator retries it.
  state text not null check (state in ('received', 'applied', 'parked')),
  tries int not null default 0, -- Counted before each attempt, so that a notification that crashes the process is parked as well.
  next_try_at timestamptz not null, -- During an attempt, the time after which another process may try.
  lease_owner bigint not null default 0, -- 0: nobody.
  received_at timestamptz not null,
  applied_at timestamptz,
  primary key (tenant, processor, id), check ((state = 'applied') = (applied_at is not null)),
  check ((state = 'applied') = (body is null)), check ((body is null) = (key_version is null))
);
create index processor_notifications_due on processor_notifications (tenant, next_try_at, id) where state = 'received';
create index processor_notifications_leased on processor_notifications (lease_owner) where lease_owner <> 0;
create index processor_notifications_parked on processor_notifications (tenant, received_at) where state = 'parked';
create index processor_notifications_by_account on processor_notifications (tenant, received_at);
create index processor_notifications_by_age on processor_notifications using brin (received_at);
call keep_to_tenants('processor_notifications');

-- 7. Idempotency keys and request logs --------------------------------------------------------------------------------
create table idempotency_keys (
  tenant int not null,
  -- The first half of the SHA-256 of method, path and key.
  digest bytea not null,
  -- Keyed hash of the body.
  fingerprint bytea not null,
  -- running: a process works on it until the lease ends; open: no answer yet, a retry resumes; done: the answer is below. A record
  -- is also done, whatever its state, if its event exists and is the answer.
  state text not null check (state in ('running', 'open', 'done')),
  event_id text,
  lease_owner text not null,
  lease_until timestamptz not null,
  resource_id text not null,
  status int,
  body text,
  -- Account time.
  created_at timestamptz not null,
  primary key (tenant, digest)
) with (fillfactor = 90);

create index idempotency_keys_by_age on idempotency_keys using brin (created_at);
call keep_to_tenants('idempotency_keys');

-- Request log: one row for each request with a known API key, kept for 30 days. A partition for each day is created ahead and dropped
-- whole. Rows are written after the answer; bodies are redacted before they are stored.
create table request_logs (
  tenant int not null, -- Of the environment that the account was in.
  seq bigint not null,
  id text not null, -- The `Service-Request-Id`.
  at timestamptz not null, -- When the request began.
  method text not null,
  route text not null, -- The route's pattern.
  path text not null,
  query text,
  status int not null,
  status_class smallint not null generated always as (status / 100) stored, -- 4 for 4xx and so on.
  code text,
  duration_ms int not null,
  key_id text not null,
  ip text not null,
  idempotency_hash text, -- Keyed hash of method, path and key: requests with the same hash are repeats of each other.
  idempotency_hint text,
  replayed boolean not null,
  payment_id text, refund_id text, customer_id text,
  request_body text, -- JSON; null: there was none, or `request_note` says why it is not stored.
  request_note text check (request_note in ('not_json', 'too_large', 'file', 'unused')),
  request_bytes int not null,
  answer_body text,
  answer_note text check (answer_note in ('not_json', 'too_large')),
  answer_bytes int not null,
  -- Fields that were dropped because they could not be sent to the processor. JSON; null: none.
  warnings text,
  primary key (tenant, seq, at)
) partition by range (at);
create index request_logs_by_id on request_logs (tenant, id);
create index request_logs_by_route on request_logs (tenant, method, route, seq);
create index request_logs_by_key on request_logs (tenant, key_id, seq);
create index request_logs_refused on request_logs (tenant, status_class, seq) where status_class >= 4;
create index request_logs_by_code on request_logs (tenant, code, seq) where code is not null;
create index request_logs_by_payment on request_logs (tenant, payment_id, seq) where payment_id is not null;
create index request_logs_by_idempotency on request_logs (tenant, idempotency_hash, seq)
  where idempotency_hash is not null;
-- Takes rows of days for which no partition was created.
create table request_logs_other partition of request_logs default;
call keep_to_tenants('request_logs');

-- 8. The dashboard ----------------------------------------------------------------------------------------------------
-- Each person's saved filters of lists.
create table saved_views (
  account_id text not null references accounts, user_id text not null,
  list text not null check (list in ('payments', 'refunds')),
  name text not null,
  query text not null, -- The query of the page's address.
  created_at timestamptz not null,
  primary key (account_id, user_id, list, name)
);
call keep_to_accounts('saved_views');

-- People who have dismissed the first steps.
create table hidden_checklists (
  account_id text not null references accounts, user_id text not null,
  hidden_at timestamptz not null,
  primary key (account_id, user_id)
);
call keep_to_accounts('hidden_checklists');

-- The largest single refund of a role in the dashboard, in both modes; no row: no limit.
create table refund_limits (
  account_id text not null references accounts,
  role text not null check (role in ('support', 'developer')),
  amounts jsonb not null, -- By currency.
  -- Currencies that are not in `amounts`.
  other_currencies text not null check (other_currencies in ('unlimited', 'refused')),
  updated_at timestamptz not null,
  primary key (account_id, role)
);
call keep_to_accounts('refund_limits');

-- The amounts above which a role needs approval, in both modes; no row: none.
create table role_approvals (
  account_id text primary key references accounts,
  above jsonb not null, -- By role; null: no approval needed.
  updated_at timestamptz not null
);
call keep_to_accounts('role_approvals');

-- Names of the merchant's bookkeeping accounts, in both modes; no row: the contract's defaults.
create table book_accounts (
  account_id text primary key references accounts,
  names jsonb not null, -- By account.
  updated_at timestamptz not null
);
call keep_to_accounts('book_accounts');

-- Limits of declines on the checkout pages, in both modes; no row: the contract's defaults.
create table card_testing_limits (
  account_id text primary key references accounts,
  limits jsonb not null, -- By kind: {slow_after, refuse_after}.
  updated_at timestamptz not null
);
call keep_to_accounts('card_testing_limits');

-- Sums for the home page, so that it costs the same at any number of payments. They are derived: a job updates them, and
-- `till figures rebuild` computes them again. `at` is the beginning of a quarter hour, which fits the days of every time zone, or of
-- an hour for requests and webhook attempts. dashboard/figures/measures.ts defines the measures. No foreign key: rows are only written
-- together with those of `figures_progress`.
create table figures (
  tenant int not null,
  measure text collate "C" not null check (measure in (
    'payments_succeeded', 'payments_held', 'payments_declined', 'payments_unfinished', 'declines', 'refunds',
    'refunds_by_payment', 'requests', 'attempts_succeeded', 'attempts_failed', 'retries_succeeded', 'retries_failed')),
  at timestamptz not null, -- Account time for payments and refunds.
  label text collate "C" not null, -- Currency, failure code, range of durations or endpoint.
  count bigint not null,
  amount bigint not null, -- Of payments and refunds that succeeded.
  primary key (tenant, measure, at, label)
) with (fillfactor = 70);
call keep_to_tenants('figures');

-- Progress of counting for each tenant: the last event and the last logged request that were counted.
create table figures_progress (
  tenant int primary key references tenants,
  events_seq bigint not null default 0,
  requests_seq bigint not null default 0,
  -- Webhook attempts before this time are counted. All accounts are counted together, up to the latest of these times.
  attempts_until timestamptz
);
create index figures_progress_by_attempts on figures_progress (attempts_until);
call keep_to_tenants('figures_progress');

-- The database server on which a process took its lock. Locks vanish when that server stops or another one becomes the primary, but
-- their owners live on: until a mark is renewed or removed, a missing lock proves nothing (store/instance.ts).
create table process_marks (
  number bigint primary key,
  server_started_at timestamptz not null
);

-- The processes with a mark. PostgreSQL empties this unlogged table when it recovers from a crash of one of its processes, which
-- releases all locks without changing the server's start time.
create unlogged table process_lives (
  number bigint primary key
);

drop procedure keep_to_tenants, keep_to_accounts;
