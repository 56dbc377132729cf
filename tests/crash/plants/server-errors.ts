import type { Database } from '../../../packages/server/src/store/database.ts';

/** Makes the next inserts of payments fail with an unexpected error. @returns a function that removes the fault */
export async function failInserts(db: Database, count: number): Promise<() => Promise<void>> {
  for (const text of [
    'create sequence planted_faults',
    `create function planted_fault() returns trigger language plpgsql as $$ begin
       if nextval('planted_faults') <= ${count} then raise exception 'planted'; end if;
       return new;
     end $$`,
    'create trigger planted_fault before insert on payments for each row execute function planted_fault()',
    'grant usage on sequence planted_faults to public',
  ]) {
    await db.query({ text, scope: 'everybody' });
  }
  return async () => {
    await db.query({ text: 'drop function planted_fault cascade', scope: 'everybody' });
    await db.query({ text: 'drop sequence planted_faults', scope: 'everybody' });
  };
}
