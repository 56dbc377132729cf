import { type Command, Option } from 'commander';
import { modesOf, OperatorError, requireAccount } from '../../accounts/accounts.ts';
import type { NotificationRow, NotificationState } from '../../processor-notifications/row.ts';
import { NotificationStore } from '../../processor-notifications/store.ts';
import type { Tenant } from '../../store/tenant.ts';
import { withDatabase } from '../lib/connect.ts';
import { report, type Shell } from '../lib/output.ts';

const states: readonly NotificationState[] = ['received', 'applied', 'parked'];
const maxListed = 100;

const show = ({ accountId: account, livemode }: Tenant, { tenant: _tenant, ...row }: NotificationRow) => ({
  account,
  livemode,
  ...row,
});

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
          const store = new NotificationStore(deps.db);
          const lists = modesOf(await requireAccount(deps, account)).map(async (tenant) =>
            (await store.list(tenant, state ?? null, maxListed)).map((row) => show(tenant, row)),
          );
          return (await Promise.all(lists)).flat();
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
          const store = new NotificationStore(deps.db);
          for (const tenant of modesOf(await requireAccount(deps, account))) {
            const row = await store.retry(tenant, id, deps.clock.now());
            if (row !== undefined) return show(tenant, row);
          }
          throw new OperatorError(
            'notification_not_found',
            `${account} has no notification ${id} that waits to be applied.`,
          );
        }),
      );
    });
}
