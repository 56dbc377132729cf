import type { SandboxDependencies, SimulatedProcessor } from './lib/dependencies.ts';
import { columnsOf } from './lib/json.ts';
import type { Batch, Movement } from './settlement/movement.ts';
import { simulators } from './simulators.ts';

/** A settlement report in the processor's own format. */
export interface SettlementReport {
  /** The processor's usual name for such a file. */
  readonly name: string;
  readonly content: string;
  readonly payouts: number;
  readonly movements: number;
}

// Skips movements that a concurrent settlement takes.
const takeSql = `
insert into sandbox.paid_out (merchant_account, id)
select $1, m.id from unnest($2::text[]) as m (id)
on conflict do nothing
returning id`;

const numberSql = `
insert into sandbox.payouts as p (merchant_account, last, closed_at) values ($1, $2, $3)
on conflict (merchant_account) do update set last = p.last + excluded.last,
  closed_at = greatest(excluded.closed_at, p.closed_at + interval '1 second')
returning last, closed_at`;

async function unpaid(
  { database }: Pick<SandboxDependencies, 'database'>,
  merchantAccount: string,
  movements: readonly Movement[],
): Promise<Movement[]> {
  const { rows } = await database.query(takeSql, [merchantAccount, movements.map(({ id }) => id)]);
  const taken = new Set(rows.map((row) => String(columnsOf(row).id)));
  return movements.filter(({ id }) => taken.has(id));
}

/**
 * Pays out everything that moved money on an account since the last settlement, with one payout per currency.
 * @returns null if nothing moved, or if the processor writes no such reports
 */
export async function settle(
  deps: Pick<SandboxDependencies, 'database' | 'now'>,
  processor: SimulatedProcessor,
  merchantAccount: string,
): Promise<SettlementReport | null> {
  const settlement = simulators[processor]?.settlement;
  if (settlement === undefined) return null;
  const now = await deps.now(merchantAccount);
  const all = await settlement.movements(deps, merchantAccount, now);
  const movements = await unpaid(deps, merchantAccount, all);
  if (movements.length === 0) return null;
  const currencies = [...new Set(movements.map(({ currency }) => currency))].sort();
  const { rows } = await deps.database.query(numberSql, [merchantAccount, currencies.length, now]);
  const { last: newest, closed_at } = columnsOf(rows[0]);
  const last = Number(newest);
  // Never the same second twice: two reports of processor_b in one second would have the same name.
  const closedAt = new Date(closed_at as string);
  const batches = currencies.map((currency, index): Batch => {
    const own = movements.filter((movement) => movement.currency === currency);
    const inOrder = own.toSorted((one, other) => one.at.getTime() - other.at.getTime());
    const number = last - currencies.length + 1 + index;
    return { merchantAccount, number, currency, closedAt, movements: inOrder };
  });
  return {
    ...settlement.report(batches),
    payouts: batches.length,
    movements: movements.length,
  };
}
