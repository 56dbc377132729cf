import { namedSchemas, Refund } from '@till/contract';
import { type Command, Option } from 'commander';
import { OperatorError, requireAccount } from '../../accounts/accounts.ts';
import { backgroundContext } from '../../accounts/context.ts';
import { readConfig } from '../../config/config.ts';
import { Serializers } from '../../http/api/serialize.ts';
import { type Finding, type NotByHand, settleByHand } from '../../refunds/by-hand/settle-by-hand.ts';
import { findRefundOfAnyTenant } from '../../refunds/reads.ts';
import { presentRefund } from '../../refunds/row.ts';
import { type CommandDependencies, withDatabase } from '../lib/connect.ts';
import { report, type Shell } from '../lib/output.ts';

interface Options {
  readonly as: Finding['status'];
  readonly reason: string;
  readonly confirm?: boolean;
}

/** The consequence of each finding, which cannot be undone. */
const consequences: Readonly<Record<Finding['status'], string>> = {
  failed:
    'its amount can be refunded again, and the buyer gets it twice if the processor has given it back or still does',
  succeeded: 'it counts as given back, whether or not the processor ever gives it back',
};

const refusals: Readonly<Record<NotByHand, readonly [code: string, why: string]>> = {
  unknown: ['refund_not_found', 'There is no refund'],
  settled: ['already_settled', 'The processor, or somebody, has settled refund'],
  asked: ['asked_now', 'A server asks the processor at this moment for refund'],
};

async function settle(
  shell: Shell,
  deps: CommandDependencies,
  id: string,
  options: Options,
): Promise<object> {
  const { as: status, reason, confirm = false } = options;
  const refused = (why: NotByHand) => new OperatorError(refusals[why][0], `${refusals[why][1]} ${id}.`);
  const tenant = await findRefundOfAnyTenant(deps.db, id);
  if (tenant === undefined) throw refused('unknown');
  if (!confirm) {
    throw new OperatorError(
      'not_confirmed',
      `This ends refund ${id} as ${status}: ${consequences[status]}. Look it up at the processor, and repeat the command with --confirm.`,
    );
  }
  const account = await requireAccount(deps, tenant.accountId);
  const context = backgroundContext(account, tenant.livemode, deps.clock.now());
  const { smtpUrl } = readConfig(shell.environment, shell.folder);
  const parts = {
    ...deps,
    write: new Serializers(namedSchemas).for(Refund),
    mail: { ...deps, sends: smtpUrl !== null },
  };
  const settled = await deps.db.transaction((tx) => settleByHand(parts, tx, context, id, { status, reason }));
  if (typeof settled === 'string') throw refused(settled);
  return { account: tenant.accountId, ...presentRefund(settled, tenant) };
}

/** `till payments settle-refund`: the last resort for a refund that the processor will never answer. */
export function settleRefundCommand(payments: Command, shell: Shell): void {
  payments
    .command('settle-refund')
    .description('end a refund of which the processor says nothing any more, as you found it there')
    .argument('<id>', 'of the refund')
    .addOption(
      new Option('--as <status>', 'failed: the processor never made it')
        .choices(['succeeded', 'failed'])
        .makeOptionMandatory(),
    )
    .requiredOption('--reason <text>', 'where you looked it up, for the audit log')
    .option('--confirm', 'without it the command only says what it would do')
    .action(function (this: Command, id: string, options: Options) {
      return report(this, shell, () => withDatabase(shell, (deps) => settle(shell, deps, id, options)));
    });
}
