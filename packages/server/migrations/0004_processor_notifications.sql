-- What the processors tell us by themselves: stored once, then applied.

create table processor_notifications (
  account_id text not null references accounts,
  livemode boolean not null,
  processor text not null check (processor in ('processor_a', 'processor_b')),
  -- A keyed hash of what identifies it upstream, which may hold a token: repeats have the same.
  id text not null,
  type text not null,
  -- As sent and verified, in JSON, sealed by the account's key; dropped once applied, since it may hold a token.
  body bytea,
  key_version int,
  -- received: still to be applied; parked: given up after many tries, until an operator asks again.
  state text not null check (state in ('received', 'applied', 'parked')),
  -- Counted before each try, so that one that ends the process is parked as well.
  tries int not null default 0,
  -- Real time of the next try; while one is under way, the time after which another process may try.
  next_try_at timestamptz not null,
  -- Who applies it at the moment: a process that lives holds an advisory lock under this number. 0: nobody.
  lease_owner bigint not null default 0,
  received_at timestamptz not null,
  applied_at timestamptz,
  primary key (account_id, livemode, processor, id),
  check ((state = 'applied') = (applied_at is not null)),
  check ((state = 'applied') = (body is null)),
  check ((body is null) = (key_version is null))
);

create index processor_notifications_due on processor_notifications (account_id, livemode, next_try_at, id)
  where state = 'received';
create index processor_notifications_leased on processor_notifications (lease_owner) where lease_owner <> 0;
create index processor_notifications_parked on processor_notifications (account_id, livemode, received_at)
  where state = 'parked';
create index processor_notifications_by_account on processor_notifications (account_id, livemode, received_at);
create index processor_notifications_by_age on processor_notifications using brin (received_at);
