-- Disputes, the evidence submitted for them, uploaded files and outgoing mail.

create table disputes (
  account_id text not null references accounts,
  livemode boolean not null,
  id text not null,
  seq bigint not null,
  payment_id text not null,
  customer_id text,
  -- Null where the upstream named none: then the whole payment is meant.
  amount bigint check (amount > 0),
  currency text,
  state text not null
    check (state in ('information_request', 'chargeback', 'pre_arbitration', 'scheme_arbitration', 'second_chargeback')),
  status text not null
    check (status in ('new', 'action_required', 'challenged', 'recovered', 'accepted', 'lost', 'won')),
  reason text,
  -- The scheme's own code, as reported.
  network_reason_code text,
  -- In account time; null where the upstream names no deadline.
  respond_by timestamptz,
  raised_at timestamptz,
  arn text,
  metadata json not null default '{}',
  upstream_id text not null,
  -- Counts the changes of this row; an update names the version that it read.
  version int not null,
  -- Counts the events of this dispute, so that each event knows its sequence.
  event_count int not null,
  -- Account time since when an answer has been due.
  action_since timestamptz,
  -- Reminders of the present deadline that were written: 1 after the one 72 hours ahead, 2 after the one 24 hours ahead.
  reminders int not null default 0,
  -- What is being asked of the processor; null: nothing. At most one thing at a time.
  operation text check (operation in ('accept', 'defend')),
  -- intent: somebody works on it until the lease ends; unknown: no answer came.
  operation_state text check (operation_state in ('intent', 'unknown')),
  -- Counts definite answers: the next operation has another upstream key.
  operations_done int not null default 0,
  lease_owner bigint not null default 0,
  lease_until timestamptz not null default '-infinity',
  tries int not null default 0,
  -- Real time at which recovery looks at it next.
  next_try_at timestamptz not null default '-infinity',
  created_at timestamptz not null,
  primary key (account_id, livemode, id),
  constraint disputes_known unique (account_id, livemode, upstream_id),
  unique (account_id, livemode, seq),
  foreign key (account_id, livemode, payment_id) references payments (account_id, livemode, id),
  check ((operation is null) = (operation_state is null))
) with (fillfactor = 85);

create index disputes_by_payment on disputes (account_id, livemode, payment_id, seq);
create index disputes_by_status on disputes (account_id, livemode, status, seq);
create index disputes_due on disputes (account_id, livemode, respond_by) where status = 'action_required';
create index disputes_open on disputes (next_try_at) where operation is not null;

-- What was submitted, or is about to be: one row per defence.
create table dispute_evidence (
  account_id text not null,
  livemode boolean not null,
  dispute_id text not null,
  -- The dispute's `operations_done` when it was begun.
  attempt int not null,
  reason_code text,
  statement text,
  -- [{type, text, file}], the file by its id.
  evidence json not null,
  -- When the processor took it; null: not, or not known yet.
  submitted_at timestamptz,
  created_at timestamptz not null,
  primary key (account_id, livemode, dispute_id, attempt),
  foreign key (account_id, livemode, dispute_id) references disputes (account_id, livemode, id)
);

create table files (
  account_id text not null references accounts,
  livemode boolean not null,
  id text not null,
  name text not null,
  content_type text not null check (content_type in ('application/pdf', 'image/jpeg', 'image/png')),
  size int not null check (size > 0),
  sha256 bytea not null,
  content bytea not null,
  created_at timestamptz not null,
  primary key (account_id, livemode, id)
);

-- These formats are compressed already.
alter table files alter column content set storage external;

-- The outbox of mail to the people who run an account. Times are real time.
create table mails (
  account_id text not null references accounts,
  id text not null,
  to_address text not null,
  subject text not null,
  text text not null,
  html text,
  -- kept: there was no mail server to give it to.
  state text not null check (state in ('queued', 'sent', 'failed', 'kept')),
  tries int not null default 0,
  next_try_at timestamptz not null,
  sent_at timestamptz,
  -- Why the last try failed.
  error text,
  created_at timestamptz not null,
  primary key (account_id, id)
);

create index mails_queued on mails (next_try_at) where state = 'queued';
