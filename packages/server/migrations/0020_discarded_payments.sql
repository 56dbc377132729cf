-- no transaction
-- A payment whose first request the processor certainly did not carry out, and the customer that came with it: the merchant
-- was asked for another try, so they are never shown. Servers of the previous version hide such a payment as one without an
-- answer.
alter table payments add column if not exists discarded_at timestamptz;
alter table customers add column if not exists discarded_at timestamptz;

-- Lists number customers densely and subtract these.
drop index concurrently if exists customers_discarded;
create index concurrently customers_discarded on customers (account_id, livemode, seq) where discarded_at is not null;
