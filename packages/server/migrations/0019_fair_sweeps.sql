-- no transaction
-- What the sweeps tried and could not finish waits longer each time, in account time as the deadlines it is about.
alter table payments
  add column if not exists expiry_tries int not null default 0,
  add column if not exists expiry_try_at timestamptz;

alter table disputes
  add column if not exists sweep_tries int not null default 0,
  add column if not exists sweep_try_at timestamptz;

-- Real time at which the owners of a paused endpoint are told, where it did not work before.
alter table webhook_endpoints add column if not exists pause_mail_at timestamptz;

-- Sweeps go from account to account along these (jobs/due-tenants.ts). Those by time alone, which they replace, would
-- show the oldest rows of all accounts first. One that was interrupted is left invalid: each is made anew.
drop index concurrently if exists operations_due;
create index concurrently operations_due on operations (account_id, livemode, next_try_at)
  where state <> 'settled';
drop index concurrently if exists operations_leased;
create index concurrently operations_leased on operations (lease_owner) where state = 'intent';
drop index concurrently if exists operations_open;

drop index concurrently if exists refunds_due;
create index concurrently refunds_due on refunds (account_id, livemode, next_try_at)
  where status = 'pending';
drop index concurrently if exists refunds_leased;
create index concurrently refunds_leased on refunds (lease_owner)
  where status = 'pending' and asked = 'intent';
drop index concurrently if exists refunds_pending;

drop index concurrently if exists disputes_asked;
create index concurrently disputes_asked on disputes (account_id, livemode, next_try_at)
  where operation is not null;
drop index concurrently if exists disputes_leased;
create index concurrently disputes_leased on disputes (lease_owner) where operation_state = 'intent';
drop index concurrently if exists disputes_open;

drop index concurrently if exists payments_overdue;
create index concurrently payments_overdue
  on payments (account_id, livemode, greatest(confirm_by, expiry_try_at)) where status = 'requires_action';
drop index concurrently if exists disputes_overdue;
create index concurrently disputes_overdue
  on disputes (account_id, livemode, greatest(respond_by, sweep_try_at)) where status = 'action_required';

drop index concurrently if exists payment_methods_removed;
create index concurrently payment_methods_removed
  on payment_methods (account_id, livemode, removal_next_at) where removal_next_at is not null;
drop index concurrently if exists payment_methods_to_forget;

drop index concurrently if exists mails_due;
create index concurrently mails_due on mails (account_id, next_try_at) where state = 'queued';
drop index concurrently if exists mails_queued;

-- An event goes to those that are there: deleted ones, which may be many, are not read for it.
drop index concurrently if exists webhook_endpoints_present;
create index concurrently webhook_endpoints_present on webhook_endpoints (account_id, id) where deleted_at is null;
