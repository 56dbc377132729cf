-- The tables of Till, in eight chapters:
--   1 accounts and people, 2 customers and saved methods, 3 payments and their operations, 4 refunds and disputes,
--   5 events and webhooks, 6 notifications of processors, 7 idempotency keys and request logs, 8 the dashboard.
--
-- Money is in minor units. Times are real time, except where a comment says account time, which a merchant can move in the
-- sandbox. Bytes named as sealed are encrypted under the account's key of the version beside them.
--
-- A tenant is an account in one mode, by its number. Rows of one begin their key with `tenant`; rows of an account in both
-- modes (people, mails, webhook endpoints and what is sent to them) begin it with `account_id`. A policy shows and takes only
-- rows of the tenants and accounts that the connection was set to by `till.tenants` and `till.accounts`. Where nothing was
-- set it is an error, not an empty answer. Servers take the role `till_tenant` for it (store/scope.ts). Tables that are looked
-- up before anybody knows the account have no policy: accounts, tenants, connections, API keys, users.
--
-- Leases: `lease_owner` is the number of the process that works on the row, under which it holds an advisory lock while it
-- lives (and `process_marks`); after `lease_until` another process may take the row over. `next_try_at` is when it is looked at next.
--
-- One of several databases of an installation, its cells, holds an account. People, sessions, invitations and the directory
-- are in the first one, which is home; of `users` and `memberships` each cell has copies. So no row of a person refers to
-- an account, and no row of an account to a person.

-- Policies compare an expression, so that they are conditions of no index. PostgreSQL does not see how many tenants are in
-- scope, nor which: where most have few rows, it would read all that a large one has and look for the keys among them.
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
  -- Which processors there are, the server's registry says; here their names only have a form.
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

-- The accounts that the connection was set to, by themselves or as a tenant.
create function scoped_accounts() returns text[] language sql stable return
  current_setting('till.accounts')::text[]
  || array(select account_id from tenants where tenant = any (nullif(current_setting('till.tenants'), '')::int[]));

create table connections (
  account_id text primary key references accounts,
  status text not null check (status in ('connected', 'disconnected')),
  three_d_secure text not null check (three_d_secure in ('off', 'enabled', 'always')),
  -- Whose fields take a card on the page: ours, or the processor's in its frames. Null: as the mode asks for.
  card_fields text check (card_fields in ('first_party', 'processor'))
);

-- What a processor gave the operator for one account and mode. Without a row test mode is served by the simulator, and live
-- mode not at all.
create table connection_credentials (
  tenant int primary key references tenants,
  base_url text not null,
  disputes_url text not null,
  secrets bytea not null, -- JSON text of names and values, sealed.
  key_version int not null,
  revision int not null default 1, -- Counts the changes, so that running servers see which they do not know yet.
  updated_at timestamptz not null
);
call keep_to_tenants('connection_credentials');

-- Whether this database belongs to the master key at hand: the server refuses to start with another one.
create table master_keys (
  id text primary key,
  check_value bytea not null,
  created_at timestamptz not null
);

-- The account's own key for secrets, wrapped by the master key that is named; account and version are bound in.
create table account_keys (
  account_id text not null references accounts,
  version int not null check (version > 0),
  master_key_id text not null,
  wrapped bytea not null,
  created_at timestamptz not null,
  primary key (account_id, version)
);
call keep_to_accounts('account_keys');

-- Look of the hosted checkout page, in both modes. The logo is as we wrote it anew, never as it was uploaded.
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
  password_changed_at timestamptz, -- Null: not since the user was made.
  created_at timestamptz not null,
  has_totp_at_home boolean not null default false -- In a copy, which has no `user_totp`.
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
  makers text[] not null default '{}', -- Ids of who made the keys that it takes the place of, and of who made it.
  last_used_at timestamptz, -- Kept to the minute.
  created_at timestamptz not null,
  revoked_at timestamptz, expires_at timestamptz, -- The second: rolled, and of use until then.
  restriction jsonb, -- What a restricted key may do; null: everything.
  limits_of text, -- Of a rolled key: the first one's id, whose sum of the day goes on.
  primary key (account_id, id)
);

-- What restricted keys with a limit for each day have moved on the last day of account time that they were used on.
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
  confirmed_at timestamptz not null -- When the password was given last.
);
create index sessions_by_user on sessions (user_id);

create table user_totp (
  user_id text primary key references users,
  secret bytea not null, -- Sealed under the master key that is named; the user is bound in.
  master_key_id text not null,
  last_step bigint not null default 0, -- The time step of the last code that was taken: none works twice.
  created_at timestamptz not null,
  enabled_at timestamptz -- Null until the first code was given.
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
  counted_since timestamptz not null, -- The first of them: a day later the count begins anew.
  blocked_until timestamptz not null
);
create index sign_in_throttles_by_age on sign_in_throttles (counted_since);

-- Where a person signed in from: guesses from elsewhere slow nobody down there.
create table known_sites (
  name bytea primary key, -- SHA-256 of the person's address and the network.
  seen_at timestamptz not null
);
create index known_sites_by_age on known_sites (seen_at);

-- The first login, by a link that works once.
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
  ended_at timestamptz, -- When it was accepted, withdrawn or replaced.
  primary key (account_id, id)
);
create unique index invitations_open on invitations (account_id, email_folded) where ended_at is null;
call keep_to_accounts('invitations');

create table audit_log (
  account_id text not null, id text not null, tenant int not null,
  actor_type text not null check (actor_type in ('user', 'operator')),
  user_id text,
  email text, -- As it was then.
  action text not null,
  object_id text, before json, after json,
  -- The payment, refund or dispute whose operation the entry still waits for; null: for none. Such an entry is written
  -- before the processor is asked, and completed by the statement that commits the answer.
  awaits text, ip text,
  created_at timestamptz not null,
  primary key (account_id, id)
);
create index audit_log_by_user on audit_log (account_id, user_id, id);
create index audit_log_by_object on audit_log (account_id, object_id, id) where object_id is not null;
create index audit_log_awaiting on audit_log (tenant, awaits) where awaits is not null;
call keep_to_accounts('audit_log');

-- The outbox of mail to the people who run an account.
create table mails (
  account_id text not null, id text not null,
  to_address text not null,
  subject text not null,
  text text not null,
  html text,
  -- kept: there was no mail server to give it to.
  state text not null check (state in ('queued', 'sent', 'failed', 'kept')),
  tries int not null default 0,
  next_try_at timestamptz not null,
  sent_at timestamptz,
  error text, -- Why the last try failed.
  created_at timestamptz not null,
  primary key (account_id, id)
);
create index mails_due on mails (account_id, next_try_at) where state = 'queued';
call keep_to_accounts('mails');

-- At home: the databases of the installation, itself among them.
create table cells (
  name text primary key check (name ~ '^[a-z][a-z0-9-]{0,30}$'),
  url bytea, -- Address of the database, sealed under the master key that is named. Null: home.
  master_key_id text,
  state text not null check (state in ('active', 'draining')), -- draining: new accounts go elsewhere.
  revision bigint not null default 0, -- Of home: counts the changes of the directory.
  copied_at timestamptz not null default '-infinity', -- When a process last began to copy between home and this cell.
  created_at timestamptz not null,
  check ((url is null) = (name = 'home') and (url is null) = (master_key_id is null))
);
insert into cells (name, state, created_at) values ('home', 'active', 'epoch');

-- At home: the accounts that are not there, with copies of what people see of one, and those that came back.
create table account_cells (
  account_id text primary key,
  cell text not null references cells,
  test_tenant int not null unique, live_tenant int not null unique,
  name text not null, processor text not null, environment text not null, activation text not null, time_zone text not null,
  revision bigint not null -- That of the directory when the cell was set.
);
create index account_cells_by_revision on account_cells (revision);
create index account_cells_by_cell on account_cells (cell);

-- At home: whose keys those of such accounts are.
create table cell_keys (
  secret_sha256 bytea primary key,
  account_id text not null references account_cells
);
create index cell_keys_by_account on cell_keys (account_id);

-- Which cell of which installation this database is; none: it is alone.
create table own_cell (
  name text primary key,
  home text not null
);

-- At home: accounts that are on their way. copying: the source has them; committing: the target may; moved: the target has.
create table account_moves (
  account_id text primary key,
  source text not null references cells,
  target text not null references cells,
  state text not null check (state in ('copying', 'committing', 'moved')),
  attempt int not null, -- Counts the tries to hand it over: one that was given up changes nothing any more.
  is_held boolean not null default false, -- Its requests wait.
  taken int not null default 0, -- How often a server took it over from a process that stood still.
  begun_at timestamptz not null
);

-- In the database that an account leaves. fenced: nothing of it is written any more; gone: it is elsewhere.
create table departures (
  account_id text primary key,
  state text not null check (state in ('copying', 'fenced', 'gone')),
  at timestamptz not null
);

-- What was written of it since: the key of the row.
create table departed_rows (
  n bigint primary key generated always as identity,
  account_id text not null,
  name text not null, -- Of the table.
  key jsonb not null
);
create index departed_rows_by_account on departed_rows (account_id, n);

-- In the database that an account comes to, committed with its rows.
create table arrivals (
  account_id text primary key,
  attempt int not null
);

-- Before each change of a row of an account that is leaving, by triggers that are there only then: the account, the table,
-- and the columns of its key. Jobs, which look after all accounts, pass over what is fenced; everybody else is refused.
create function note_departing() returns trigger language plpgsql as $$
declare
  now_is text;
begin
  if current_setting('till.mover', true) = tg_argv[0] then
    if tg_op = 'DELETE' then return old; end if;
    return new;
  end if;
  -- What fences the account waits for those that have this lock.
  perform pg_advisory_xact_lock_shared(7110430, hashtext(tg_argv[0]));
  select state into now_is from departures where account_id = tg_argv[0];
  -- At home these are the way to an account that is elsewhere.
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
    -- Of a row whose key changes both are noted.
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
-- One dense number per account, mode and list: its greatest value is the count, a page is a range of it.
create table counters (
  tenant int not null,
  list text not null,
  last bigint not null,
  primary key (tenant, list)
) with (fillfactor = 50);
call keep_to_tenants('counters');

-- The values of some metadata as an index holds them: of one account and mode, of one length, in lower case.
create function metadata_terms(tenant int, metadata json) returns text[]
  language sql immutable parallel safe
  return array(select md5(tenant || lower(value)) from json_each_text(metadata));

-- Collation C, whatever the database's: what begins with some text is one range.
create table customers (
  tenant int not null references tenants, id text not null, seq bigint not null,
  email text not null,
  email_folded text not null collate "C",
  name text, phone text, locale text,
  external_id text collate "C",
  billing_address json, delivery_address json, date_of_birth text,
  metadata json not null,
  discarded_at timestamptz, -- It came with a payment that was discarded, and is never shown.
  -- It came alone, its merchant changed it, or another payment named it: it stays where the payment that it came with is discarded.
  is_kept boolean not null default false,
  -- A payment link made it, for anyone who typed the address, and its merchant has neither changed nor used it since.
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
-- Lists number customers densely and subtract these.
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
  -- Which merchant account at the processor keeps it: no other one is asked about it. Null: not known.
  processor_identity text,
  token bytea not null, -- The upstream's token, sealed; account, mode and id are bound in.
  key_version int not null,
  token_name bytea not null, -- Keyed hash of the token: the same one is found again without opening any.
  upstream_customer text, -- The upstream's own id of the customer.
  network_transaction_reference text,
  saved_by text not null, -- The latest payment that saved it.
  gone_at timestamptz, -- The upstream said that it must not be charged again. Account time, like the next two.
  removed_at timestamptz,
  created_at timestamptz not null,
  primary key (tenant, id), foreign key (tenant, customer_id) references customers (tenant, id)
);
create unique index payment_methods_one_per_token
  on payment_methods (tenant, customer_id, token_name) where removed_at is null;
create index payment_methods_by_token on payment_methods (tenant, token_name);
create index payment_methods_by_customer on payment_methods (tenant, customer_id, id) where removed_at is null;
call keep_to_tenants('payment_methods');

-- Tokens that the upstream keeps no longer: what a payment begun before that saved under one may be gone as well. Kept for as
-- long as removed methods are.
create table forgotten_tokens (
  tenant int not null references tenants,
  token_name bytea not null, -- As in payment_methods.
  processor_identity text, -- Which merchant account at the processor forgot it. Null: not known.
  forgotten_at timestamptz not null, -- The last time. Account time.
  primary key (tenant, token_name)
);
call keep_to_tenants('forgotten_tokens');

-- Addresses at which buyers pay. They are made of account, mode and id (payment-links/link-token.ts), so that a merchant can
-- copy them whenever it is wanted: nothing of them is stored.
create table payment_links (
  tenant int not null references tenants, id text not null, seq bigint not null,
  title text not null, description text, currency text not null,
  -- Fixed, or within bounds that the buyer chooses from. Minor units.
  amount bigint, amount_min bigint, amount_max bigint, amount_suggested bigint,
  max_payments int,
  expires_at timestamptz, -- Account time.
  reference_label text, save_payment_method boolean not null,
  success_url text, failure_url text,
  metadata json not null,
  is_on boolean not null,
  -- Attempts without an end, and payments that succeeded with their sum. The commits of these payments count them, so that of
  -- two buyers of a link that is paid once only one gets through.
  open_count int not null default 0 check (open_count >= 0),
  payments_count int not null default 0, payments_amount bigint not null default 0,
  event_count int not null,
  created_at timestamptz not null, -- Account time.
  primary key (tenant, id), unique (tenant, seq),
  check ((amount is null) = (amount_min is not null and amount_max is not null))
) with (fillfactor = 70);
call keep_to_tenants('payment_links');

-- Which payment came of a form of a link's page, and of which browser: a form that is sent again begins no other one.
create table payment_link_attempts (
  tenant int not null, link_id text not null, visit_sha256 bytea not null,
  browser_sha256 bytea, -- Of a cookie; null: the browser keeps none.
  network bytea, -- Keyed hash of where the browser is; null: a card was typed, which is counted in card_declines.
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

-- How many mails of a kind an account has sent to buyers on the last UTC day that it sent any.
create table buyer_mails (
  account_id text not null references accounts,
  kind text not null check (kind in ('link', 'receipt', 'test_receipt')),
  to_sha256 bytea not null, -- Of the recipient's address; empty: all of them.
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
  -- Counts the changes of this row; an update names the version that it read.
  version int not null,
  -- Counts the events of this payment, so that each event knows its sequence.
  event_count int not null,
  amount bigint not null check (amount > 0),
  currency text not null,
  -- Pending or given back by refunds, and kept from being refunded by chargebacks.
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
  -- The model under which the instrument is to be kept; null: it is not.
  save_model text,
  merchant_initiated boolean not null default false,
  failure_code text,
  authentication text not null default 'never' check (authentication in ('never', 'automatic', 'always')),
  three_d_secure json,
  avs json,
  -- The upstream's ids of this payment (processors/port/port.ts, UpstreamIds).
  upstream json not null default '{}',
  network_transaction_reference text,
  -- By which merchant account at the processor it was made: no other one is asked about it. Null: not known.
  processor_identity text,
  -- Names the risk session upstream: the same on every call about the payment.
  risk_session text,
  -- The payment once waited for the buyer: confirm on it stays idempotent after it settled.
  required_action boolean not null default false,
  next_action text,
  redirect_url text,
  -- End of the confirmation window. Account time.
  confirm_by timestamptz,
  -- What the buyer's browser brought back from the upstream, the newest first, and when it first came (account time).
  returned json,
  buyer_done_at timestamptz,
  -- Counts definite answers to confirm: the next attempt has another upstream key.
  confirm_attempt int not null default 0,
  -- Account time, like the next one.
  authorization_guaranteed_until timestamptz,
  authorization_expires timestamptz,
  -- An expiry that could not begin waits longer each time. Account time, as the deadline that it is about.
  expiry_tries int not null default 0,
  expiry_try_at timestamptz,
  -- The request as sent, without data of the card and what columns of the payment say: confirm and recovery derive from both.
  request json not null,
  -- Account time.
  created_at timestamptz not null,
  primary key (tenant, id),
  -- In order of creation, with what lists filter by: a filter that no other index answers reads this one alone.
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
-- What upstreams say of a payment may name only their own ids.
create index payments_by_psp on payments (tenant, (upstream ->> 'psp')) where (upstream ->> 'psp') is not null;
create index payments_by_order on payments (tenant, (upstream ->> 'order'))
  where (upstream ->> 'order') is not null;
create index payments_by_authorization on payments (tenant, (upstream ->> 'authorization'))
  where (upstream ->> 'authorization') is not null;
create index payments_by_capture on payments (tenant, (upstream ->> 'capture'))
  where (upstream ->> 'capture') is not null;
-- Payments whose token is still to come, by the upstream's id.
create index payments_unsaved on payments (tenant, (upstream ->> 'order'))
  where save_model is not null and payment_method_id is null;
call keep_to_tenants('payments');

-- Up to which end of their guarantee holds were announced by mail. Account time.
create table hold_notices (tenant int primary key references tenants, through timestamptz not null);
call keep_to_tenants('hold_notices');

-- Every effect that a processor is asked for, of payments, refunds, disputes and saved methods. It holds only what is open: a
-- row is inserted with the intent and deleted with the answer.
create table operations (
  tenant int not null,
  -- Id of the payment, refund, dispute or saved method that it changes: at most one operation of each is open.
  subject text not null,
  kind text not null check (kind in (
    'charge', 'confirm', 'capture', 'void', 'expire', 'cancel', 'refund', 'track_refund', 'settle_refund', 'accept', 'defend',
    'conclude', 'remove')),
  -- The idempotency key at the processor; null: the subject followed by `:c`, as charges begin.
  upstream_key text check (length(upstream_key) <= 64),
  -- intent: somebody works on it until the lease ends; unknown: no definite answer came, recovery or a repeat asks again.
  state text not null check (state in ('intent', 'unknown')),
  tries int not null default 0,
  lease_owner bigint not null,
  lease_until timestamptz not null,
  next_try_at timestamptz not null,
  -- Account time.
  created_at timestamptz not null,
  -- Of a payment that has no answer yet: its number, its columns as far as they are not usual, and its request. It is inserted
  -- with the answer.
  seq bigint,
  draft json,
  request json,
  check ((draft is null) = (seq is null) and (draft is null) = (request is null)),
  -- No foreign keys: an operation is only ever inserted by the statement that names its subject.
  primary key (tenant, subject)
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 0);

create index operations_leased on operations (lease_owner) where state = 'intent';
-- Recovery looks for due operations of payments, refunds, disputes and removals apart, so that many of one are not read
-- over for another.
create index operations_due_payments on operations (tenant, next_try_at)
  where kind in ('charge', 'confirm', 'capture', 'void', 'expire', 'cancel');
create index operations_due_refunds on operations (tenant, next_try_at)
  where kind in ('refund', 'track_refund', 'settle_refund');
create index operations_due_disputes on operations (tenant, next_try_at)
  where kind in ('accept', 'defend', 'conclude');
create index operations_due_removals on operations (tenant, next_try_at) where kind in ('remove');
call keep_to_tenants('operations');

-- Payments that the processor certainly did not carry out, while the merchant was asked for another try. They are never
-- shown, and kept since the processor may say later that it charged one.
create table discarded_payments (
  tenant int not null,
  id text not null,
  -- The number that it had taken.
  seq bigint not null,
  -- As it stood in its operation.
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
  -- The buyer left from our page: confirm as soon as the browser comes back.
  confirm_on_return boolean not null default false,
  refusals int not null default 0, -- Cards refused on this page, so that it cannot be used to try numbers.
  attempts int not null default 0,
  receipts int not null default 0, -- Sent by mail at the buyer's request.
  -- The browser that sent the first form; the others only hear that it is there.
  browser_sha256 bytea,
  language text, -- Chosen on the page.
  bank_url text, -- Where the bank asks the buyer about the card that was typed last.
  busy_owner bigint not null default 0, -- A card is being sent at this moment, by that process.
  busy_until timestamptz not null default '-infinity',
  created_at timestamptz not null, -- Account time.
  sent_at timestamptz, -- Account time at which the buyer last sent a card or went on to the wallet; kept for payments of links.
  primary key (tenant, token_sha256), foreign key (tenant, payment_id) references payments (tenant, id)
);
create index checkout_tokens_by_payment on checkout_tokens (tenant, payment_id);
call keep_to_tenants('checkout_tokens');

-- Declines on the checkout pages, so that nobody can try cards there, and attempts that are being sent, which may become some.
-- Removed once none of them counts any more.
create table card_declines (
  tenant int not null, kind text not null check (kind in ('address', 'card', 'link', 'account')),
  name bytea not null, -- Keyed hash of what is counted, with a key of the account.
  declines int not null, -- Since that time, which is account time.
  since timestamptz not null,
  open int not null, opened_at timestamptz not null, -- Attempts that are being sent, and when the first of them began.
  counted_at timestamptz not null, -- The latest attempt.
  primary key (tenant, kind, name)
) with (fillfactor = 70);
create index card_declines_by_age on card_declines (counted_at);
call keep_to_tenants('card_declines');

-- Attempts that were slowed down or refused because of them.
create table card_testing_marks (
  tenant int not null, payment_id text not null,
  effect text not null check (effect in ('slowed', 'refused')),
  because text not null check (because in ('address', 'card', 'link', 'account')),
  times int not null,
  at timestamptz not null, -- Of the first of them. Account time.
  primary key (tenant, payment_id, effect, because), foreign key (tenant, payment_id) references payments (tenant, id)
);
create index card_testing_marks_by_time on card_testing_marks (tenant, at);
call keep_to_tenants('card_testing_marks');

-- What a processor said of a payment that was settled already, and that somebody has to look at. One of each kind.
create table payment_alerts (
  tenant int not null, payment_id text not null,
  kind text not null,
  -- What the processor took back, as it said when this was raised, less what was refunded by then. Null: no money moved.
  amount bigint check (amount >= 0),
  acknowledged_at timestamptz, -- Account time at which somebody of the merchant said that it is dealt with, and who.
  acknowledged_by text,
  created_at timestamptz not null, -- Account time.
  primary key (tenant, payment_id, kind), foreign key (tenant, payment_id) references payments (tenant, id)
);
create index payment_alerts_open on payment_alerts (tenant, created_at) where acknowledged_at is null;
call keep_to_tenants('payment_alerts');

-- What processors took back of settled payments by chargebacks and reversals, and gave back: written once, when it became
-- known, so that books of a month that is over stay as they were (`book_taken_money`).
create table payment_movements (
  tenant int not null, payment_id text not null,
  number int not null, -- Dense within the payment.
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
  processor_identity text, -- Which merchant account at the processor was asked for it. Null: not known.
  is_unsent boolean not null default false, -- The processor certainly carried out none of the requests for it yet.
  version int not null, -- As of payments.
  event_count int not null,
  created_at timestamptz not null, -- Account time.
  -- Account time at which somebody of the merchant said that its failure is dealt with, and who.
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

-- What keys and roles may not have done by themselves: it waits for a person. `result_id` is chosen when it is approved, so that a refund is
-- made once; `run_at` (real time) is when it is tried next. Other times are account time.
create table approvals (
  tenant int not null references tenants, id text not null,
  status text not null check (status in ('pending', 'approved', 'refused', 'expired')),
  action text not null check (action in ('refund', 'capture', 'payment_link')),
  payment_id text, -- Null: it is about a payment link, which is made when it is approved.
  amount bigint not null check (amount > 0), currency text not null,
  request jsonb not null, -- What was asked for.
  requested_by text not null, requester_email text, -- The key, or the person with their address.
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
  amount bigint check (amount > 0), -- Null where the upstream named none: then the whole payment is meant.
  currency text,
  state text not null
    check (state in ('information_request', 'chargeback', 'pre_arbitration', 'scheme_arbitration', 'second_chargeback')),
  status text not null
    check (status in ('new', 'action_required', 'challenged', 'recovered', 'accepted', 'lost', 'won')),
  -- Giving in to it gives the money back even where it only asks for information: so at some processors.
  inquiry_refunds boolean not null default false,
  -- deadline: nobody answered by `respond_by`, so we concluded it; the processor has not said so. Its later word counts more.
  concluded_by text, reason text,
  network_reason_code text, -- The scheme's own code, as reported.
  respond_by timestamptz, -- Account time; null where the upstream names no deadline.
  raised_at timestamptz, arn text,
  metadata json not null default '{}',
  upstream_id text not null,
  processor_identity text, -- Which merchant account at the processor has it. Null: that of its payment.
  version int not null, -- As of payments.
  event_count int not null,
  action_since timestamptz, -- Account time since when an answer has been due.
  -- Reminders of the present deadline that were written: 1 after the one 72 hours ahead, 2 after the one 24 hours ahead.
  reminders int not null default 0,
  -- A conclusion or reminder that could not be written waits longer each time. Account time.
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

-- Whether a dispute ever took the money, whether or not it was won later. A request for information does not, but where
-- giving in to it gives the money back (`inquiry_refunds`) and the processor or the merchant said so: a deadline did not.
create function took_money(d disputes) returns boolean language sql immutable as $$
  select d.state <> 'information_request' or d.inquiry_refunds
    and (d.status in ('lost', 'recovered') or (d.status = 'accepted' and d.concluded_by is null))
$$;

-- Whether it has the money now: it is open, or was lost or accepted.
create function takes_money(d disputes) returns boolean language sql immutable as $$
  select took_money(d) and d.status not in ('won', 'recovered')
$$;

-- Which part of its payment a dispute is about. Another currency cannot be compared: then it is the whole payment.
create function disputed_share(d disputes) returns bigint language sql stable as $$
  select case when d.currency <> p.currency then p.amount else least(coalesce(d.amount, p.amount), p.amount) end
  from payments p
  where p.tenant = d.tenant and p.id = d.payment_id
$$;

-- What a dispute keeps of its payment.
create function disputed_part(d disputes) returns bigint language sql stable as $$
  select case when takes_money(d) then disputed_share(d) else 0 end
$$;

-- The payment carries the sum, so that a refund finds it in the row that it locks. The lock comes first: the sum is then
-- taken over everything that was committed before, whatever other disputes of the payment change at the same time.
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

-- Books what disputes and reversals of a payment took or gave back since it was last booked. A processor may notify of the
-- same money by a dispute and by a reversal of the capture, in any order: what a dispute took is no reversal, and one that
-- was booked before goes back. The lock comes first: the rest sees all that was committed before it.
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

-- Writes into an alert that has just been raised what was taken back with it, and books that: what the processor says, else the
-- whole payment, and never more than neither refunds nor other alerts took before.
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

-- What was submitted, or is about to be: one row per defence.
create table dispute_evidence (
  tenant int not null, dispute_id text not null,
  attempt int not null, -- The dispute's `operations_done` when it was begun.
  reason_code text, statement text,
  evidence json not null, -- [{type, text, file}], the file by its id.
  submitted_at timestamptz, -- When the processor took it; null: not, or not known yet. Account time.
  created_at timestamptz not null, -- Account time.
  primary key (tenant, dispute_id, attempt), foreign key (tenant, dispute_id) references disputes (tenant, id)
);
call keep_to_tenants('dispute_evidence');

-- The answer to a dispute while it is prepared, and by whom; gone once the dispute is answered or closed.
create table dispute_drafts (
  tenant int not null, dispute_id text not null,
  version int not null check (version >= 0), -- Counts changes of the content; 0: none yet.
  content json, -- {statement, reason_code, evidence: [{type, text, files}]}.
  files text[] not null default '{}', -- Ids of those of the content.
  edited_by text, edited_at timestamptz, -- An e-mail address; account time.
  logged_at timestamptz, -- When the audit log last said who edits it. Account time.
  assignee text,
  primary key (tenant, dispute_id), foreign key (tenant, dispute_id) references disputes (tenant, id),
  check ((version = 0) = (content is null) and (content is null) = (edited_by is null) and (content is null) = (edited_at is null))
) with (fillfactor = 85);
call keep_to_tenants('dispute_drafts');

-- With the end of its dispute. A statement of the trigger sees what was committed while the update waited for its row.
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
-- Not compressed by the database: these formats are already.
alter table files alter column content set storage external;
call keep_to_tenants('files');

-- What a processor paid out, as its report says. Amounts in minor units of the payout's currency.
create table payouts (
  tenant int not null references tenants, id text not null, seq bigint not null,
  provider text not null check (provider ~ '^processor_[a-z]$'),
  -- As the processor calls them: a report of the same payout has the same.
  merchant_account text not null, reference text not null,
  currency text not null,
  gross bigint not null, fees bigint not null,
  arrival_date text not null check (arrival_date ~ '^[0-9]{4}-[0-9]{2}-[0-9]{2}$'),
  lines_count int not null, unmatched_count int not null,
  digest text not null, -- Of its lines: the same where a report says nothing new.
  corrections int not null default 0, -- How often a later report said something else.
  match_tries int not null, -- How often lines that did not match were tried again.
  match_at timestamptz, -- Real time of the next try. Null: every line matches.
  created_at timestamptz not null, -- Account time.
  primary key (tenant, id), unique (tenant, seq),
  constraint payouts_known unique (tenant, provider, merchant_account, reference, currency)
);
create index payouts_by_date on payouts (tenant, arrival_date, seq);
create index payouts_to_match on payouts (tenant, match_at) where match_at is not null;
call keep_to_tenants('payouts');

create table payout_lines (
  tenant int not null, id text not null, payout_id text not null,
  number int not null, -- Dense within the payout, so that a page is a range.
  type text not null
    check (type in ('payment', 'refund', 'chargeback', 'chargeback_reversed', 'fee', 'adjustment')),
  payment_id text, refund_id text, dispute_id text,
  gross bigint not null, fee bigint not null,
  upstream_reference text not null,
  unmatched text check (unmatched in ('unknown', 'amount_differs', 'not_succeeded', 'paid_before')), -- Why it does not fit. Null: it does.
  at timestamptz not null, -- As the report says.
  -- What it is matched by, now and later, as the report says.
  upstream_payment text, named_payment text, named_refund text, original_amount bigint, original_currency text,
  -- No foreign keys: a large report is one statement for each thousand lines, written before its payout is.
  primary key (tenant, id), unique (tenant, payout_id, number)
);
create index payout_lines_by_payment on payout_lines (tenant, payment_id) where payment_id is not null;
create index payout_lines_unmatched on payout_lines (tenant, payout_id, number) where unmatched is not null;
call keep_to_tenants('payout_lines');

-- Reports that were imported, so that the same file is not read again.
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
  -- What became of it, as retrieve showed it then, byte for byte. What is delivered around it are the other columns.
  object text not null,
  -- Its object is the answer to the request that caused it, with this status; null: it is no request's answer.
  answer_status smallint,
  -- Account time.
  created_at timestamptz not null,
  primary key (tenant, id),
  unique (tenant, seq),
  unique (tenant, object_id, sequence)
);

-- A payment or refund ends once: one event per outcome. Most end with their first event, which stands in one index less for
-- it: a later one is compared with the first by the trigger.
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
  name text, -- What the merchant calls it; null: it goes by its address.
  secret bytea not null, -- The signing secret, sealed; account and id are bound in.
  key_version int not null,
  additional_events boolean not null, -- Also gets the event types beyond the four of the contract.
  event_types text[], -- Only these, or groups such as `payment.*`, whatever `additional_events` says; null: no filter.
  payload text not null default 'full' check (payload in ('full', 'thin')),
  secret_overlap_seconds int not null default 0, -- For so long a replaced secret goes on signing beside the new one.
  previous_secret bytea, previous_key_version int, previous_secret_until timestamptz, -- Sealed as `secret`. Real time.
  status text not null check (status in ('active', 'paused')),
  paused_reason text check (paused_reason in ('merchant', 'failing')),
  -- What the owners are still to be notified of, and when that is tried again.
  notice_due text check (notice_due in ('failing', 'paused')),
  notice_mail_at timestamptz,
  last_failure_at timestamptz, -- To the minute; null after an hour without a failure.
  alerted_at timestamptz, -- When the owners were notified that it fails: once until an hour passes without a failure.
  first_failure_at timestamptz, -- The first of the latest failures; null where the latest attempt succeeded.
  replay_until timestamptz, -- When the last delivery of a replay is due: until then there is no other one. Real time.
  test_count int not null default 0, -- Counts the test events, so that each knows its sequence.
  created_at timestamptz not null,
  deleted_at timestamptz,
  primary key (account_id, id), check ((status = 'paused') = (paused_reason is not null))
);
create index webhook_endpoints_by_id on webhook_endpoints (id);
create index webhook_endpoints_to_notify on webhook_endpoints (account_id, id) where notice_due is not null;
create index webhook_endpoints_failing on webhook_endpoints (account_id, id) where last_failure_at is not null;
-- An event goes to those that are there: deleted ones, which may be many, are not read for it.
create index webhook_endpoints_present on webhook_endpoints (account_id, id) where deleted_at is null;
create index webhook_endpoints_with_two_secrets on webhook_endpoints (account_id, id) where previous_secret is not null;
call keep_to_accounts('webhook_endpoints');

-- One row per event and endpoint, written in the commit of the event. No foreign keys: it is only ever inserted by the
-- statement that writes the event and reads the endpoint.
create table deliveries (
  account_id text not null, endpoint_id text not null,
  id text not null, -- Made of event and endpoint (events/events.ts), and so sorted by the event's time.
  tenant int not null,
  event_id text not null,
  event_type text not null,
  state text not null check (state in ('pending', 'succeeded', 'failed', 'parked')),
  tries int not null default 0, -- Attempts begun. An attempt may end the delivery only while no later one has begun.
  -- Attempts ended since the event or the latest manual retry: the place in the schedule.
  attempts int not null default 0,
  crashes int not null default 0, -- Attempts begun in a row that never ended, because their process did.
  next_attempt_at timestamptz not null default '-infinity', -- A new delivery is due at once.
  lease_until timestamptz not null default '-infinity',
  created_at timestamptz not null, -- Time of the event. Account time.
  ended_at timestamptz,
  primary key (account_id, endpoint_id, id)
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 0);
create index deliveries_pending on deliveries (account_id, endpoint_id, next_attempt_at, id) where state = 'pending';
create index deliveries_unsuccessful on deliveries (account_id, endpoint_id, id) where state in ('failed', 'parked');
call keep_to_accounts('deliveries');

-- What was sent and answered, kept for 30 days: a partition per week is made ahead and dropped whole. The body is that of
-- the event.
create table delivery_attempts (
  account_id text not null, endpoint_id text not null, delivery_id text not null,
  number int not null, -- The delivery's `tries` when it began.
  tenant int not null,
  event_id text not null,
  url text not null,
  request_headers json not null,
  answer_status int, answer_headers json,
  answer_body text, -- The first 8 KiB, as text.
  error text, -- Why there is no answer.
  duration_ms int not null,
  thin boolean not null default false, -- Whether the event was sent without its object.
  at timestamptz not null, account_at timestamptz not null, -- Real time, and what the account's clock showed.
  primary key (account_id, endpoint_id, delivery_id, number, at)
) partition by range (at);
-- Attempts are written in the order in which they began, or nearly.
create index delivery_attempts_by_time on delivery_attempts using brin (at);
-- Takes what no week takes, should the weeks ever not have been made.
create table delivery_attempts_other partition of delivery_attempts default;
call keep_to_accounts('delivery_attempts');

-- 6. Notifications of processors --------------------------------------------------------------------------------------
-- What the processors send by themselves: stored once, then applied.
create table processor_notifications (
  tenant int not null references tenants,
  processor text not null check (processor ~ '^processor_[a-z]$'),
  id text not null, -- A keyed hash of what identifies it upstream, which may hold a token: repeats have the same.
  type text not null,
  processor_identity text, -- Which merchant account at the processor it is about. Null: not known.
  body bytea, -- As sent and verified, in JSON, sealed; dropped once applied, since it may hold a token.
  key_version int,
  -- received: still to be applied; parked: given up after many tries, until an operator asks again.
  state text not null check (state in ('received', 'applied', 'parked')),
  tries int not null default 0, -- Counted before each try, so that one that ends the process is parked as well.
  next_try_at timestamptz not null, -- While a try is under way, the time after which another process may try.
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
  -- running: somebody works on it until the lease ends; open: no answer yet, a retry resumes; done: the answer is below. It
  -- is also done, whatever stands here, where the event says so that was to be its answer.
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

-- One row per request of a known API key, kept for 30 days: a partition per day is made ahead and dropped whole. Written
-- after the answer; bodies are redacted before they come here.
create table request_logs (
  tenant int not null, -- The environment that the account was in.
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
  idempotency_hash text, -- Keyed hash of method, path and key: requests that share it are repeats of each other.
  idempotency_hint text,
  replayed boolean not null,
  payment_id text, refund_id text, customer_id text,
  request_body text, -- JSON; null where `request_note` says why it is not kept, or where there was none.
  request_note text check (request_note in ('not_json', 'too_large', 'file', 'unused')),
  request_bytes int not null,
  answer_body text,
  answer_note text check (answer_note in ('not_json', 'too_large')),
  answer_bytes int not null,
  -- What the request was accepted without: fields that could not be sent to the processor. JSON; null where there is none.
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
-- Takes what no day takes, should the days ever not have been made.
create table request_logs_other partition of request_logs default;
call keep_to_tenants('request_logs');

-- 8. The dashboard ----------------------------------------------------------------------------------------------------
-- Filters of a list under a name, each person's own.
create table saved_views (
  account_id text not null references accounts, user_id text not null,
  list text not null check (list in ('payments', 'refunds')),
  name text not null,
  query text not null, -- The query of the page's address.
  created_at timestamptz not null,
  primary key (account_id, user_id, list, name)
);
call keep_to_accounts('saved_views');

-- Who does not want to see the first steps any more.
create table hidden_checklists (
  account_id text not null references accounts, user_id text not null,
  hidden_at timestamptz not null,
  primary key (account_id, user_id)
);
call keep_to_accounts('hidden_checklists');

-- The largest refund that one role may make in the dashboard at once, in both modes; no row: no limit.
create table refund_limits (
  account_id text not null references accounts,
  role text not null check (role in ('support', 'developer')),
  amounts jsonb not null, -- By currency.
  -- What is not named in `amounts`.
  other_currencies text not null check (other_currencies in ('unlimited', 'refused')),
  updated_at timestamptz not null,
  primary key (account_id, role)
);
call keep_to_accounts('refund_limits');

-- Above which amounts people wait for approval, by role, in both modes; no row: above none.
create table role_approvals (
  account_id text primary key references accounts,
  above jsonb not null, -- By role; null: above none.
  updated_at timestamptz not null
);
call keep_to_accounts('role_approvals');

-- The accounts of the merchant's books, in both modes; no row: as packages/contract says.
create table book_accounts (
  account_id text primary key references accounts,
  names jsonb not null, -- By account.
  updated_at timestamptz not null
);
call keep_to_accounts('book_accounts');

-- How many declines the checkout pages take, in both modes; no row: as packages/contract says.
create table card_testing_limits (
  account_id text primary key references accounts,
  limits jsonb not null, -- By kind: {slow_after, refuse_after}.
  updated_at timestamptz not null
);
call keep_to_accounts('card_testing_limits');

-- Sums for the home page, so that it costs the same at any number of payments. They are derived: a job keeps them, and
-- `till figures rebuild` makes them anew. `at` is the beginning of a quarter hour, which fits the days of every time zone, or
-- of an hour for requests and webhook attempts. What is counted under each measure, dashboard/figures/measures.ts says.
-- No foreign key: rows are written with those of `figures_progress` only.
create table figures (
  tenant int not null,
  measure text collate "C" not null check (measure in (
    'payments_succeeded', 'payments_held', 'payments_declined', 'payments_unfinished', 'declines', 'refunds',
    'refunds_by_payment', 'requests', 'attempts_succeeded', 'attempts_failed', 'retries_succeeded', 'retries_failed')),
  at timestamptz not null, -- Account time for payments and refunds.
  label text collate "C" not null, -- Currency, failure code, step of duration or endpoint.
  count bigint not null,
  amount bigint not null, -- Of payments and refunds that succeeded.
  primary key (tenant, measure, at, label)
) with (fillfactor = 70);
call keep_to_tenants('figures');

-- How far each account's figures of one mode have come: the last event, and the last logged request, that was counted.
create table figures_progress (
  tenant int primary key references tenants,
  events_seq bigint not null default 0,
  requests_seq bigint not null default 0,
  -- Before it, all webhook attempts are counted. They are counted for all accounts at once, up to the latest time of all.
  attempts_until timestamptz
);
create index figures_progress_by_attempts on figures_progress (attempts_until);
call keep_to_tenants('figures_progress');

-- On which server of the database a process took its lock. Locks vanish when a server ends or another becomes the leader, and
-- their owners do not: until its mark is renewed or removed, a missing lock says nothing (store/instance.ts).
create table process_marks (
  number bigint primary key,
  server_started_at timestamptz not null
);

-- Of the processes with a mark. PostgreSQL empties it where it recovers from a crash of one of its own processes, which takes all
-- locks although the server counts as started long ago.
create unlogged table process_lives (
  number bigint primary key
);

drop procedure keep_to_tenants, keep_to_accounts;
