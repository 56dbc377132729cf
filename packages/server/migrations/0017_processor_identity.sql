-- By which merchant account at the processor something was made: no other one is asked about it. Null on what was there
-- before: then any connection of the account and mode is asked, as it was until now.
alter table payments add column processor_identity text;
alter table payment_methods add column processor_identity text;
alter table refunds add column processor_identity text;
alter table disputes add column processor_identity text;
-- Whose word a notification is.
alter table processor_notifications add column processor_identity text;
