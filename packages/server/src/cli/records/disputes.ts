import { type Dispute, disputeReasons, disputeStates, disputeStatuses } from '@till/contract';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { AccountClocks } from '../../accounts/account-clocks.ts';
import { type AccountDependencies, modesOf, OperatorError, requireAccount } from '../../accounts/accounts.ts';
import { type DisputeSimulator, uncarriedPart, waitForDispute } from '../../disputes/api/open-dispute.ts';
import { knownPosition } from '../../disputes/notifications/merge-facts.ts';
import { type DisputeRow, presentDispute } from '../../disputes/present.ts';
import { findDisputeOfAnyTenant, listDisputeRows } from '../../disputes/reads.ts';
import { liesAhead } from '../../disputes/state.ts';
import { DisputeStore } from '../../disputes/store.ts';
import { suspendNothing } from '../../lib/waiting/suspend.ts';
import { findPaymentOfAnyTenant } from '../../payments/reads.ts';
import type { DisputeReason, DisputeState, DisputeStatus } from '../../processors/port/disputes.ts';
import { sandboxDatabase } from '../../simulators/database.ts';
import { disputeSimulator } from '../../simulators/dispute-simulator.ts';
import type { Database } from '../../store/database.ts';
import type { Tenant } from '../../store/tenant.ts';
import { withDatabase } from '../lib/connect.ts';
import { report, type Shell } from '../lib/output.ts';

type CommandDependencies = AccountDependencies & { readonly db: Database };

const maxListed = 100;

function amount(text: string): number {
  const value = Number(text);
  if (!/^\d{1,12}$/.test(text) || value < 1) {
    throw new InvalidArgumentError('a whole number of minor units from 1 to 999999999999');
  }
  return value;
}

/** The simulator of disputes. It schedules its notifications in the database, and the running server sends them. */
function simulatorOf({ db, clock, randomBytes }: CommandDependencies): DisputeSimulator {
  const clocks = new AccountClocks(db, clock);
  return disputeSimulator({
    database: sandboxDatabase(db),
    now: (merchantAccount) => clocks.nowAnew(merchantAccount),
    randomBytes,
  });
}

/** Waits for the dispute's notification. @returns the dispute as the API shows it */
async function requireArrival(tenant: Tenant, dispute: Promise<DisputeRow | undefined>): Promise<Dispute> {
  const arrived = await dispute;
  if (arrived !== undefined) return presentDispute(arrived, tenant);
  throw new OperatorError(
    'not_arrived',
    "The simulated processor's notification has not arrived: the server must run on this database.",
  );
}

interface OpenOptions {
  readonly payment: string;
  readonly state: DisputeState;
  readonly amount?: number;
  readonly reason?: DisputeReason;
}

async function open(deps: CommandDependencies, options: OpenOptions): Promise<Dispute> {
  const payment = await findPaymentOfAnyTenant(deps.db, options.payment);
  if (payment === undefined) {
    throw new OperatorError('payment_not_found', `There is no payment ${options.payment}.`);
  }
  if (options.amount !== undefined && options.amount > payment.amount) {
    throw new OperatorError('invalid_amount', `The payment is of ${payment.amount} in minor units.`);
  }
  const { processor } = await requireAccount(deps, payment.accountId);
  const opened = await simulatorOf(deps).open(
    { ...payment, processor },
    { id: options.payment },
    { state: options.state, amount: options.amount ?? null, reason: options.reason ?? null },
  );
  if (opened === 'amount_not_carried') throw new OperatorError('invalid_amount', uncarriedPart);
  if (opened === null) {
    throw new OperatorError(
      'not_disputable',
      `The simulated processor collected nothing for ${options.payment}, which is ${payment.status}.`,
    );
  }
  const store = new DisputeStore(deps.db);
  const tenant = { ...payment, suspend: suspendNothing };
  return requireArrival(tenant, waitForDispute({ store, clock: deps.clock }, tenant, opened.upstreamId));
}

interface MoveOptions {
  readonly status: DisputeStatus;
  readonly state?: DisputeState;
}

async function move(deps: CommandDependencies, id: string, options: MoveOptions): Promise<Dispute> {
  const dispute = await findDisputeOfAnyTenant(deps.db, id);
  if (dispute === undefined) throw new OperatorError('dispute_not_found', `There is no dispute ${id}.`);
  const to = { state: options.state ?? dispute.state, status: options.status };
  if (!liesAhead(knownPosition(dispute), to)) {
    throw new OperatorError(
      'invalid_move',
      `A dispute in ${dispute.state}, ${dispute.status} cannot become ${to.state}, ${to.status}.`,
    );
  }
  const { tenant: number, accountId, livemode } = dispute;
  const tenant = { tenant: number, accountId, livemode, suspend: suspendNothing };
  const { processor } = await requireAccount(deps, accountId);
  if (!(await simulatorOf(deps).move({ ...tenant, processor }, dispute.upstream_id, to))) {
    throw new OperatorError('not_simulated', `The simulated processor does not know ${id}.`);
  }
  const store = new DisputeStore(deps.db);
  return requireArrival(
    tenant,
    waitForDispute(
      { store, clock: deps.clock },
      tenant,
      dispute.upstream_id,
      ({ state, status }) => state === to.state && status === to.status,
    ),
  );
}

export function disputeCommands(program: Command, shell: Shell): void {
  const disputes = program.command('disputes').description('disputes, and the simulated ones');
  disputes
    .command('open')
    .description('let the buyer dispute a simulated payment')
    .requiredOption('--payment <id>')
    .addOption(new Option('--state <state>').choices(disputeStates).default('chargeback'))
    .option('--amount <n>', 'in minor units; the whole payment where not said', amount)
    .addOption(new Option('--reason <reason>').choices(disputeReasons))
    .action(function (this: Command, options: OpenOptions) {
      return report(this, shell, () => withDatabase(shell, (deps) => open(deps, options)));
    });
  disputes
    .command('move')
    .description('let the simulated issuer decide')
    .argument('<id>')
    .addOption(new Option('--status <status>').choices(disputeStatuses).makeOptionMandatory())
    .addOption(new Option('--state <state>', 'the present one where not said').choices(disputeStates))
    .action(function (this: Command, id: string, options: MoveOptions) {
      return report(this, shell, () => withDatabase(shell, (deps) => move(deps, id, options)));
    });
  disputes
    .command('list')
    .description('the newest 100 of an account and mode')
    .requiredOption('--account <id>')
    .action(function (this: Command, { account }: { account: string }) {
      return report(this, shell, () =>
        withDatabase(shell, async (deps) => {
          const pages = modesOf(await requireAccount(deps, account)).map(async (tenant) => {
            const { rows } = await listDisputeRows(deps.db, tenant, { per_page: maxListed });
            return rows.map((row) => presentDispute(row, tenant));
          });
          return (await Promise.all(pages)).flat();
        }),
      );
    });
}
