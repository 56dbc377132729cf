import type { BuyerOutcome } from '../../../packages/sandbox/src/buyer/virtual-buyer.ts';
import type { SandboxDependencies } from '../../../packages/sandbox/src/lib/dependencies.ts';
import { columnsOf } from '../../../packages/sandbox/src/lib/json.ts';
import type { Effect } from './effects.ts';

export interface Payment {
  readonly reference: string;
  readonly amount: number;
  readonly currency: string;
  readonly returnUrl: string;
}

/** A charge that waits, or waited, for its buyer. */
export interface Waiting extends Payment {
  readonly id: string;
  readonly merchantAccount: string;
  readonly chargeId: string;
  readonly state: 'open' | 'answered' | 'completed' | 'cancelled';
  readonly outcome: BuyerOutcome | null;
}

/** A response as stored under its key. */
export interface Kept {
  readonly status: number;
  readonly body: object;
}

const columns = 'id, merchant_account, psp_reference, state, outcome, payment';
const waitingOf = (row: unknown): Waiting => {
  const { id, merchant_account, psp_reference, state, outcome, payment } = columnsOf(row);
  return {
    ...(payment as Payment),
    id: String(id),
    merchantAccount: String(merchant_account),
    chargeId: String(psp_reference),
    state: state as Waiting['state'],
    outcome: outcome as BuyerOutcome | null,
  };
};

/** The simulator's own table. Its ledger and its keys are in the tables that all simulators share. */
export const schema = `
create table if not exists sandbox.processor_c_challenges (
  id text primary key,
  merchant_account text not null,
  reference text not null,
  psp_reference text not null,
  state text not null,
  outcome text,
  payment jsonb not null,
  created_at timestamptz not null
);
`;

/** Creates the access to the simulator's data. */
export function createStore({ database, now }: Pick<SandboxDependencies, 'database' | 'now'>) {
  const keptUnder = async (account: string, key: string): Promise<Kept | undefined> => {
    const { rows } = await database.query(
      'select status, body from sandbox.requests where merchant_account = $1 and idempotency_key = $2',
      [account, key],
    );
    if (rows.length === 0) return undefined;
    const { status, body } = columnsOf(rows[0]);
    return { status: Number(status), body: JSON.parse(String(body)) as object };
  };
  return {
    keptUnder,
    /** Stores a response and its effect in one statement. @returns the first response under the key */
    async settle(account: string, key: string, id: string, answer: Kept, effect?: Effect): Promise<Kept> {
      await database.query(
        `with owned as (
           insert into sandbox.requests (merchant_account, idempotency_key, psp_reference, started_at, status, body)
           values ($1, $2, $3, $4, $5, $6) on conflict do nothing returning 1
         )${effect === undefined ? '' : `, effect as (${effect.sql})`} select 1`,
        [
          account,
          key,
          id,
          await now(account),
          answer.status,
          JSON.stringify(answer.body),
          ...(effect?.values ?? []),
        ],
      );
      return (await keptUnder(account, key)) ?? answer;
    },
    async find(by: 'id' | 'psp_reference' | 'reference', value: string): Promise<Waiting | undefined> {
      const { rows } = await database.query(
        `select ${columns} from sandbox.processor_c_challenges where ${by} = $1 order by created_at desc limit 1`,
        [value],
      );
      return rows.length === 0 ? undefined : waitingOf(rows[0]);
    },
    async move(id: string, from: Waiting['state'], to: Waiting['state'], outcome: BuyerOutcome | null) {
      await database.query(
        'update sandbox.processor_c_challenges set state = $3, outcome = $4 where id = $1 and state = $2',
        [id, from, to, outcome],
      );
    },
    /** Finds a capture by the upstream's id or the merchant's reference, with the amount not refunded yet. */
    async captured(account: string, name: string) {
      const { rows } = await database.query(
        `select reference, psp_reference, amount, (select coalesce(sum(r.amount), 0) from sandbox.refunds r
           where r.merchant_account = c.merchant_account and r.payment_reference = c.reference) as refunded
         from sandbox.charges c where merchant_account = $1 and (psp_reference = $2 or reference = $2)`,
        [account, name],
      );
      if (rows.length === 0) return undefined;
      const { reference, psp_reference, amount, refunded } = columnsOf(rows[0]);
      return {
        reference: String(reference),
        id: String(psp_reference),
        left: Number(amount) - Number(refunded),
      };
    },
    /** Returns the first response that named a charge. */
    async firstAnswer(account: string, id: string): Promise<object | undefined> {
      const { rows } = await database.query(
        `select body from sandbox.requests where merchant_account = $1 and psp_reference = $2 order by started_at limit 1`,
        [account, id],
      );
      return rows.length === 0 ? undefined : (JSON.parse(String(columnsOf(rows[0]).body)) as object);
    },
  };
}

export type Store = ReturnType<typeof createStore>;
