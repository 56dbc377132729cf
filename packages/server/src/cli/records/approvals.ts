import { ApiError, type Approval, approvalStatuses } from '@till/contract';
import { type Command, Option } from 'commander';
import { OperatorError, requireAccount } from '../../accounts/accounts.ts';
import { backgroundContext } from '../../accounts/context.ts';
import { currentTenant } from '../../accounts/store.ts';
import { decide } from '../../approvals/decide.ts';
import { type ApprovalRow, presentApproval } from '../../approvals/row.ts';
import { findApprovalOfAnyTenant, listApprovalRows } from '../../approvals/store.ts';
import { auditEntry } from '../../users/audit/audit.ts';
import { withDatabase } from '../lib/connect.ts';
import { report, type Shell } from '../lib/output.ts';

const perPage = 100;

/** Commits a decision with its audit entry. The running server executes the approved request. */
const decideAs = (shell: Shell, id: string, status: 'approved' | 'refused', reason: string | null) =>
  withDatabase(shell, async (deps) => {
    const tenant = await findApprovalOfAnyTenant(deps.db, id);
    if (tenant === undefined) throw new OperatorError('approval_not_found', `There is no approval ${id}.`);
    const account = await requireAccount(deps, tenant.accountId);
    const context = backgroundContext(account, tenant.livemode, deps.clock.now());
    const entry = ({ action, payment_id: payment, amount, currency }: ApprovalRow) =>
      auditEntry(deps, {
        ...tenant,
        actor: { type: 'operator' },
        action: `approval.${status}`,
        objectId: id,
        before: null,
        after: { action, payment, amount, currency, reason },
        ip: null,
      });
    const write = (approval: object) => JSON.stringify(approval);
    const decision = { status, by: 'operator', reason, entry } as const;
    const row = await decide({ ...deps, write }, deps.db, context, id, decision).catch((error: unknown) => {
      throw error instanceof ApiError ? new OperatorError('already_decided', error.message) : error;
    });
    return presentApproval(row, tenant);
  });

export function approvalCommands(program: Command, shell: Shell): void {
  const approvals = program
    .command('approvals')
    .description('refunds, captures and payment links that wait for a person');
  approvals
    .command('list')
    .description('the newest of an account, in its current environment')
    .requiredOption('--account <id>')
    .addOption(new Option('--status <status>', 'only these').choices(approvalStatuses))
    .action(function (this: Command, options: { account: string; status?: Approval['status'] }) {
      return report(this, shell, () =>
        withDatabase(shell, async (deps) => {
          const tenant = currentTenant(await requireAccount(deps, options.account));
          const place = { page: 1, perPage };
          const { rows } = await listApprovalRows(deps.db, tenant, options.status, place);
          return rows.map((row) => presentApproval(row, tenant));
        }),
      );
    });
  for (const [name, status, does] of [
    ['approve', 'approved', 'have it done, by the running server'],
    ['refuse', 'refused', 'close it without doing it'],
  ] as const) {
    approvals
      .command(name)
      .description(does)
      .argument('<id>')
      .option('--reason <text>', 'why, for the record')
      .action(function (this: Command, id: string, { reason = null }: { reason?: string | null }) {
        return report(this, shell, () => decideAs(shell, id, status, reason));
      });
  }
}
