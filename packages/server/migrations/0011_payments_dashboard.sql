-- What the dashboard's lists and searches of payments, refunds and customers need.

-- Filters of a list under a name, each person's own.
create table saved_views (
  account_id text not null references accounts,
  user_id text not null references users,
  list text not null check (list in ('payments', 'refunds')),
  name text not null,
  -- The query of the page's address.
  query text not null,
  created_at timestamptz not null,
  primary key (account_id, user_id, list, name)
);

-- In order of creation, with what lists filter by: a filter that no other index answers reads this one alone.
alter table payments
  drop constraint payments_account_id_livemode_seq_key,
  add constraint payments_by_place unique (account_id, livemode, seq)
    include (status, amount, currency, method_type, brand, last4, capture_method, failure_code, created_at);

-- Without those that have no answer yet, so that each payment is entered once, with its answer.
create index payments_by_last4 on payments (account_id, livemode, last4, seq)
  where last4 is not null and status <> 'processing';
create index payments_by_failure on payments (account_id, livemode, failure_code, seq)
  where failure_code is not null;
create index payments_by_order on payments (account_id, livemode, (upstream ->> 'order'))
  where (upstream ->> 'order') is not null;
create index payments_by_authorization on payments (account_id, livemode, (upstream ->> 'authorization'))
  where (upstream ->> 'authorization') is not null;

-- Whatever the database's collation: what begins with some text is one range.
alter table payments alter column reference type text collate "C";
alter table customers
  alter column email_folded type text collate "C",
  alter column external_id type text collate "C";
create index customers_by_name on customers (account_id, livemode, (lower(name) collate "C"))
  where name is not null;
create index customers_by_last_name
  on customers (account_id, livemode, (lower(regexp_replace(name, '^.*\s', '')) collate "C"))
  where name is not null;

-- The values of some metadata as an index holds them: of one account and mode, of one length, in lower case.
create function metadata_terms(account_id text, livemode boolean, metadata json) returns text[]
  language sql immutable parallel safe
  return array(select md5(account_id || livemode::text || lower(value)) from json_each_text(metadata));

create index customers_by_metadata on customers using gin (metadata_terms(account_id, livemode, metadata))
  where metadata::text <> '{}';
create index refunds_by_metadata on refunds using gin (metadata_terms(account_id, livemode, metadata))
  where metadata::text <> '{}';

create index refunds_by_status on refunds (account_id, livemode, status, seq);

create index disputes_by_customer on disputes (account_id, livemode, customer_id, seq)
  where customer_id is not null;
create index disputes_by_arn on disputes (account_id, livemode, arn) where arn is not null;

create index audit_log_by_object on audit_log (account_id, object_id, id) where object_id is not null;
