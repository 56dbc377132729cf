import { type Command, Option } from 'commander';
import { OperatorError, requireAccount } from '../../accounts/accounts.ts';
import type { NotificationRow, NotificationState } from '../../processor-notifications/row.ts';
import { NotificationStore } from '../../processor-notifications/store.ts';
import { withDatabase } from '../lib/connect.ts';
import { report, type Shell } from '../lib/output.ts';

const states: readonly NotificationState[] = ['received', 'applied', 'parked'];
const modes = [false, true];
const mostListed = 100;

const show = ({ account_id: account, ...row }: NotificationRow) => ({ account, ...row });

interface ListOptions {
  readonly account: string;
  readonly state?: NotificationState;
}

export function notificationCommands(program: Command, shell: Shell): void {
  const notifications = program
    .command('notifications')
    .description('what the processors sent by themselves');
  notifications
    .command('list')
    .description('the newest 100 of an account and mode, without their content')
    .requiredOption('--account <id>')
    .addOption(new Option('--state <state>', 'parked: given up after 20 tries').choices(states))
    .action(function (this: Command, { account, state }: ListOptions) {
      return report(this, shell, () =>
        withDatabase(shell, async (deps) => {
          await requireAccount(deps, account);
          const store = new NotificationStore(deps.db);
          const rows = await Promise.all(
            modes.map((livemode) => store.list({ accountId: account, livemode }, state ?? null, mostListed)),
          );
          return rows.flat().map(show);
        }),
      );
    });
  notifications
    .command('retry')
    .description('apply one that is not applied yet, as soon as possible')
    .argument('<id>', 'as listed')
    .requiredOption('--account <id>')
    .action(function (this: Command, id: string, { account }: { account: string }) {
      return report(this, shell, () =>
        withDatabase(shell, async (deps) => {
          await requireAccount(deps, account);
          const store = new NotificationStore(deps.db);
          for (const livemode of modes) {
            const row = await store.retry({ accountId: account, livemode }, id, deps.clock.now());
            if (row !== undefined) return show(row);
          }
          throw new OperatorError(
            'notification_not_found',
            `${account} has no notification ${id} that waits to be applied.`,
          );
        }),
      );
    });
}
