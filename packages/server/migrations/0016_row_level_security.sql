-- The tables of the accounts show and take only rows of the accounts that the connection was told of: `till.test` and
-- `till.live` list those whose test and live rows may be touched. Where nobody was told it is an error, not an empty
-- answer: an empty text is no array. The owner of the tables is not held to it, so servers of the previous version run
-- on; servers from this one on take the role `till_tenant` for it (store/scope.ts).
--
-- Not in the list: accounts, api_keys, connections, users and memberships, which are looked up before anybody knows the
-- account. A new table of the accounts gets its policy in the migration that makes it.

do $$
declare
  name text;
  test constant text := '(select current_setting(''till.test'')::text[])';
  live constant text := '(select current_setting(''till.live'')::text[])';
begin
  foreach name in array array[
    'audit_log', 'checkout_tokens', 'connection_credentials', 'counters', 'customers', 'deliveries',
    'delivery_attempts', 'dispute_evidence', 'disputes', 'events', 'figures_attempts', 'figures_declines',
    'figures_payments', 'figures_progress', 'figures_refunds', 'figures_requests', 'files', 'idempotency_keys',
    'operations', 'payment_methods', 'payments', 'processor_notifications', 'refunds', 'request_logs'
  ] loop
    execute format('alter table %I enable row level security', name);
    execute format(
      'create policy own_rows on %I using (account_id = any (case when livemode then %s else %s end))',
      name, live, test);
  end loop;

  foreach name in array array[
    'account_branding', 'account_keys', 'hidden_checklists', 'invitations', 'mails', 'refund_limits', 'saved_views',
    'webhook_endpoints'
  ] loop
    execute format('alter table %I enable row level security', name);
    execute format(
      'create policy own_rows on %I using (account_id = any (%s::text[]) or account_id = any (%s::text[]))',
      name, test, live);
  end loop;
end
$$;
