-- What chargebacks keep from being refunded, conclusions of our own, and what a processor said against a settled payment.

alter table payments add column disputed_amount bigint not null default 0;

-- deadline: nobody answered by `respond_by`, so we concluded the dispute; the processor has not said so. Its later word
-- counts more.
alter table disputes add column concluded_by text;

-- What a dispute keeps of its payment, in minor units of the payment. A chargeback does while it is open, and where it was
-- lost or accepted. A request for information keeps nothing, but where the merchant gave in to it at processor_b: there
-- the buyer gets the money back by that. Another currency cannot be compared: then it is the whole payment.
create function disputed_part(d disputes) returns bigint language sql stable as $$
  select case
    when d.status in ('won', 'recovered') then 0
    when d.state = 'information_request' and not (a.processor = 'processor_b'
      and (d.status = 'lost' or (d.status = 'accepted' and d.concluded_by is null))) then 0
    when d.currency <> p.currency then p.amount
    else least(coalesce(d.amount, p.amount), p.amount) end
  from payments p join accounts a on a.account_id = p.account_id
  where p.account_id = d.account_id and p.livemode = d.livemode and p.id = d.payment_id
$$;

-- The payment carries the sum, so that a refund finds it in the row that it locks. The lock comes first: the sum is then
-- taken over everything that was committed before, whatever other disputes of the payment change at the same time.
create function keep_disputed_amount() returns trigger language plpgsql as $$
begin
  perform from payments p
  where p.account_id = new.account_id and p.livemode = new.livemode and p.id = new.payment_id
  for no key update;
  update payments p set disputed_amount = (
    select coalesce(sum(disputed_part(d)), 0) from disputes d
    where d.account_id = new.account_id and d.livemode = new.livemode and d.payment_id = new.payment_id)
  where p.account_id = new.account_id and p.livemode = new.livemode and p.id = new.payment_id;
  return null;
end
$$;

create trigger disputes_keep_disputed_amount
  after insert or update of state, status, amount, currency, concluded_by on disputes
  for each row execute function keep_disputed_amount();

-- Those that are on record fire the trigger once.
update disputes set status = status where status not in ('won', 'recovered');

-- What a processor said of a payment that was settled already, and that somebody has to look at. One of each kind.
create table payment_alerts (
  account_id text not null references accounts,
  livemode boolean not null,
  payment_id text not null,
  kind text not null,
  -- In account time.
  created_at timestamptz not null,
  -- Account time at which somebody of the merchant said that it is dealt with, and who.
  acknowledged_at timestamptz,
  acknowledged_by text,
  primary key (account_id, livemode, payment_id, kind),
  foreign key (account_id, livemode, payment_id) references payments (account_id, livemode, id)
);

create index payment_alerts_open on payment_alerts (account_id, livemode, created_at) where acknowledged_at is null;

alter table payment_alerts enable row level security;
create policy own_rows on payment_alerts using (account_id = any (
  case when livemode then (select current_setting('till.live')::text[])
    else (select current_setting('till.test')::text[]) end));
