import { sandboxSchema } from '@till/sandbox';
import type { Command } from 'commander';
import { compareSchema, migrate, type PlannedMigration } from '../../store/migrate.ts';
import { withDatabase } from '../lib/connect.ts';
import { report, type Shell } from '../lib/output.ts';

/** A plan as `till migrate --plan` prints it. */
export function planInWords({ pending }: { pending: readonly PlannedMigration[] }): string {
  if (pending.length === 0) return 'The schema is up to date.';
  return pending
    .flatMap(({ name, statements, hazards }) => [
      `${name}  ${statements} statement${statements === 1 ? '' : 's'}`,
      ...hazards.map(({ statement, why }) => `  careful: ${why}\n    ${statement.slice(0, 120)}`),
    ])
    .join('\n');
}

/** `till migrate`: what a new version's server does at its start, ahead of it. */
export function migrateCommands(program: Command, shell: Shell): void {
  program
    .command('migrate')
    .description("bring the database's schema to this version; servers of the previous one may run on")
    .option('--plan', 'only show what would be done, and what running servers would feel of it')
    .action(function (this: Command, { plan }: { plan?: boolean }) {
      if (plan === true) {
        return report(this, shell, () => withDatabase(shell, ({ db }) => compareSchema(db)), planInWords);
      }
      return report(this, shell, async () => ({
        applied: await withDatabase(shell, ({ db, clock }) => migrate(db, clock.now(), [sandboxSchema])),
      }));
    });
}
