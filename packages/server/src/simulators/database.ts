import type { SandboxDatabase } from '@till/sandbox';
import type { Queryable } from '../store/database.ts';

const statementNames = new Map<string, string>();

/** The text of the simulators' statements never changes, so a name makes each one a prepared statement. */
function statementName(text: string): string {
  const name = statementNames.get(text) ?? `sandbox_${statementNames.size}`;
  statementNames.set(text, name);
  return name;
}

/** Adapts our database for the simulators, which use it for their own schema. */
export function sandboxDatabase(db: Queryable): SandboxDatabase {
  return {
    query: async (text, values = []) => ({
      rows: await db.query<unknown>({ name: statementName(text), text, values, scope: 'anybody' }),
    }),
  };
}
