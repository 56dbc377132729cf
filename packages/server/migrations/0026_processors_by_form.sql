-- Which processors there are, the server's registry says; here their names only have a form, so that another processor needs no
-- migration. What stands there already passed a narrower check.
alter table accounts drop constraint accounts_processor_check,
  add constraint accounts_processor_form check (processor ~ '^processor_[a-z]$') not valid;
alter table payment_methods drop constraint payment_methods_provider_check,
  add constraint payment_methods_provider_form check (provider ~ '^processor_[a-z]$') not valid;
alter table processor_notifications drop constraint processor_notifications_processor_check,
  add constraint processor_notifications_processor_form check (processor ~ '^processor_[a-z]$') not valid;
