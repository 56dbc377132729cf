import { sandboxSchema } from '@till/sandbox';
import type { Command } from 'commander';
import { compareSchema, migrate, type PlannedMigration } from '../../store/migrations/migrate.ts';
import { inEveryCell, withHome } from '../lib/connect.ts';
import { report, type Shell } from '../lib/output.ts';

/** The text that `till migrate --plan` prints. */
export function planInWords({ pending }: { pending: readonly PlannedMigration[] }): string {
  if (pending.length === 0) return 'The schema is up to date.';
  return pending
    .flatMap(({ name, statements, hazards }) => [
      `${name}  ${statements} statement${statements === 1 ? '' : 's'}`,
      ...hazards.map(({ statement, why }) => `  careful: ${why}\n    ${statement.slice(0, 120)}`),
    ])
    .join('\n');
}

/** Plans the migrations that any cell lacks. If home lacks some, plans only home: its schema may be too old to list cells. */
async function planOf(shell: Shell): Promise<Awaited<ReturnType<typeof compareSchema>>> {
  const atHome = await withHome(shell, ({ db }) => compareSchema(db));
  if (atHome.pending.length > 0) return atHome;
  const plans = await inEveryCell(shell, ({ db }) => compareSchema(db));
  return plans.find(({ pending }) => pending.length > 0) ?? atHome;
}

/** `till migrate`: applies ahead of time the migrations that a server of the new version applies when it starts. */
export function migrateCommands(program: Command, shell: Shell): void {
  program
    .command('migrate')
    .description("bring the database's schema to this version; servers of the previous one may run on")
    .option('--plan', 'only show what would be done, and what running servers would feel of it')
    .action(function (this: Command, { plan }: { plan?: boolean }) {
      if (plan === true) return report(this, shell, () => planOf(shell), planInWords);
      return report(this, shell, async () => {
        // Home comes first, because it lists the cells.
        const applied = await inEveryCell(shell, ({ db, clock }) =>
          migrate(db, clock.now(), [sandboxSchema]),
        );
        return { applied: [...new Set(applied.flat())] };
      });
    });
}
