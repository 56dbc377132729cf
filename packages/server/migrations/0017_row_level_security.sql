-- Every table of the accounts shows and takes only rows of the accounts that the connection was told of
-- (`till.test`, `till.live`: accounts whose test and live rows may be touched). The owner of the tables is not held to
-- it, so that servers of the previous version run on; servers of this one take the role `till_tenant` (store/scope.ts).
-- An account that was not told at all is an error rather than no rows: '' is no array.

create function tenant_tables(of_one_mode boolean) returns setof text language sql stable
  return (
    select c.relname::text from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where false
  );
