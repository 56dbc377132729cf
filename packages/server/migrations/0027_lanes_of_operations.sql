-- no transaction
-- Recovery looks for due operations of payments, refunds, disputes and removals apart, so that many of one are not read
-- over for another. An index whose making was interrupted is left invalid: each is made anew.
drop index concurrently if exists operations_due_payments;
create index concurrently operations_due_payments on operations (account_id, livemode, next_try_at)
  where kind in ('charge', 'confirm', 'capture', 'void', 'expire', 'cancel');
drop index concurrently if exists operations_due_refunds;
create index concurrently operations_due_refunds on operations (account_id, livemode, next_try_at)
  where kind in ('refund', 'track_refund', 'settle_refund');
drop index concurrently if exists operations_due_disputes;
create index concurrently operations_due_disputes on operations (account_id, livemode, next_try_at)
  where kind in ('accept', 'defend', 'conclude');
drop index concurrently if exists operations_due_removals;
create index concurrently operations_due_removals on operations (account_id, livemode, next_try_at)
  where kind in ('remove');
drop index concurrently if exists operations_due;
