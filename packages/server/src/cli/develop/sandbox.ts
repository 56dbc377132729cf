import { type Ledger, readLedger, settle, simulators } from '@till/sandbox';
import type { Command } from 'commander';
import { AccountClocks } from '../../accounts/account-clocks.ts';
import { type AccountDependencies, OperatorError, requireAccount } from '../../accounts/accounts.ts';
import { readConfig } from '../../config/config.ts';
import { merchantAccountOf } from '../../lib/merchant-account.ts';
import { formatAmount } from '../../lib/money.ts';
import { findPaymentOfAnyTenant } from '../../payments/reads.ts';
import { sandboxDatabase } from '../../simulators/database.ts';
import type { Database } from '../../store/database.ts';
import { databaseUrl, withDatabase } from '../lib/connect.ts';
import { openOutFile } from '../lib/out-file.ts';
import { report, type Shell } from '../lib/output.ts';

function asText({ charges, refunds }: Ledger): string {
  const lines = charges.map(
    ({ reference, amount, currency, status }) =>
      `${reference}  ${formatAmount(amount, currency)} ${currency}  ${status}`,
  );
  return [`charges: ${charges.length}`, ...lines, `refunds: ${refunds.length}`].join('\n');
}

/** Voids a simulated hold on the processor's side, as somebody could in the processor's own dashboard. */
async function voidHold(
  deps: AccountDependencies & { readonly db: Database },
  paymentId: string,
): Promise<{ payment: string; voided: true }> {
  const payment = await findPaymentOfAnyTenant(deps.db, paymentId);
  if (payment === undefined) {
    throw new OperatorError('payment_not_found', `There is no payment ${paymentId}.`);
  }
  const { processor } = await requireAccount(deps, payment.accountId);
  const clocks = new AccountClocks(deps.db, deps.clock);
  const done = await simulators[processor]?.voidHold?.(
    {
      database: sandboxDatabase(deps.db),
      now: (merchantAccount) => clocks.nowAnew(merchantAccount),
    },
    { merchantAccount: merchantAccountOf(payment.accountId, payment.livemode), paymentReference: paymentId },
  );
  if (done !== true) {
    throw new OperatorError('nothing_held', `The simulated processor holds nothing for ${paymentId}.`);
  }
  return { payment: paymentId, voided: true };
}

/**
 * Pays out the charges of the account's current environment and writes the settlement report. No later report repeats a payout,
 * so the payout is committed only if the report could be written.
 * @throws OperatorError `file_not_written`
 */
async function settleInto(
  deps: AccountDependencies & { readonly db: Database },
  accountId: string,
  file: string,
): Promise<{ file: string; payouts: number; movements: number }> {
  const { processor, environment } = await requireAccount(deps, accountId);
  const clocks = new AccountClocks(deps.db, deps.clock);
  const merchantAccount = merchantAccountOf(accountId, environment === 'live');
  const now = await clocks.nowAnew(merchantAccount);
  const out = await openOutFile(file);
  try {
    return await deps.db.transaction(async (tx) => {
      const database = sandboxDatabase(tx);
      const settled = await settle({ database, now: async () => now }, processor, merchantAccount);
      if (settled === null) {
        throw new OperatorError('nothing_to_pay_out', 'Nothing was charged since the last payout.');
      }
      await out.write(settled.content);
      return { file, payouts: settled.payouts, movements: settled.movements };
    });
  } finally {
    await out.close();
  }
}

export function sandboxCommands(program: Command, shell: Shell): void {
  const sandbox = program.command('sandbox').description('the simulated processors');
  sandbox
    .command('void-hold')
    .description("void a simulated hold in the processor's own dashboard, which then notifies")
    .requiredOption('--payment <id>')
    .action(function (this: Command, { payment }: { payment: string }) {
      return report(
        this,
        shell,
        () => withDatabase(shell, (deps) => voidHold(deps, payment)),
        () => `voided the hold of ${payment} at the simulated processor`,
      );
    });
  sandbox
    .command('settle')
    .description(
      'pay out what was charged since the last time, and write the report of it as the processor does',
    )
    .requiredOption('--account <id>')
    .requiredOption('--out <file>')
    .action(function (this: Command, { account, out }: { account: string; out: string }) {
      return report(this, shell, () => withDatabase(shell, (deps) => settleInto(deps, account, out)));
    });
  sandbox
    .command('ledger')
    .description('what the simulator really did, read from its own records')
    .requiredOption('--account <id>')
    .action(function (this: Command, { account }: { account: string }) {
      return report(
        this,
        shell,
        () =>
          withDatabase(shell, async (deps) => {
            await requireAccount(deps, account);
            const database = sandboxDatabase(deps.db);
            const ledgers = await Promise.all(
              [false, true].map((livemode) => readLedger(database, merchantAccountOf(account, livemode))),
            );
            return {
              charges: ledgers.flatMap(({ charges }) => charges),
              refunds: ledgers.flatMap(({ refunds }) => refunds),
            };
          }),
        asText,
      );
    });
}

export function databaseCommands(program: Command, shell: Shell): void {
  program
    .command('db')
    .description('the database in use')
    .command('url')
    .description('its address, with the password; the embedded one listens on a unix socket')
    .action(function (this: Command) {
      return report(
        this,
        shell,
        async () => ({ url: await databaseUrl(readConfig(shell.environment, shell.folder)) }),
        ({ url }: { url: string }) => url,
      );
    });
}
