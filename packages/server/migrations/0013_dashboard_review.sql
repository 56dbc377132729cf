-- When a person was last active in an account, to the minute; null: not since this was kept. Sessions belong to the
-- person, so they cannot tell it of one account, and they are deleted when they are over.
alter table memberships add column last_seen_at timestamptz;

-- The operation or refund whose outcome the entry still waits for; null: for none. Such an entry is written before the
-- processor is asked, and completed by the statement that commits the answer.
alter table audit_log add column awaits text;

create index audit_log_awaiting on audit_log (account_id, livemode, awaits) where awaits is not null;
