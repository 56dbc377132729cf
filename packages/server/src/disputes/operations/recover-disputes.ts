import type { AccountContext } from '../../accounts/context.ts';
import type { Sweep } from '../../jobs/fair-sweep.ts';
import { recoverByAsking } from '../../operations/ask.ts';
import type { OpenOperation } from '../../operations/operation.ts';
import { operationRecovery, type Recoveries } from '../../operations/recover.ts';
import { connectionOf, waitsForConnection } from '../../processors/port/connected.ts';
import { changeUntilWritten } from '../change-dispute.ts';
import { finishConclusion } from '../deadlines/expire-disputes.ts';
import type { DisputeDependencies } from '../dependencies.ts';
import type { DisputeRow } from '../present.ts';
import { allows, begunAnswer, type ChangeOf } from './answer.ts';

/** The recovery of dispute operations without an answer, by operation kind. */
export function disputeRecoveries(deps: DisputeDependencies) {
  const recover =
    (kind: 'accept' | 'defend') =>
    async (operation: OpenOperation, context: AccountContext): Promise<boolean> =>
      recoverAnswer(deps, context, await find(deps, context, operation.subject), { kind, operation });
  return {
    accept: recover('accept'),
    defend: recover('defend'),
    async conclude(operation, context) {
      await finishConclusion(deps, context, await find(deps, context, operation.subject));
      return true;
    },
  } satisfies Recoveries;
}

async function find(deps: DisputeDependencies, context: AccountContext, id: string): Promise<DisputeRow> {
  const dispute = await deps.store.find(context, id);
  if (dispute === undefined) throw new Error(`${id} is gone`);
  return dispute;
}

/** Retries under the same upstream key and with the same evidence. @returns whether the operation has ended */
async function recoverAnswer(
  deps: DisputeDependencies,
  context: AccountContext,
  dispute: DisputeRow,
  { kind, operation: open }: { readonly kind: 'accept' | 'defend'; readonly operation: OpenOperation },
): Promise<boolean> {
  const { upstream_key: key, lease_until: leaseUntil } = open;
  const commit = (change: ChangeOf) => {
    const ending: ChangeOf = (before) => {
      const { operation, ...rest } = change(before);
      return operation === undefined ? rest : { ...rest, operation: { key, end: operation.end } };
    };
    return changeUntilWritten(deps, context, dispute, ending, null);
  };
  if (!allows(dispute, kind)) {
    // A notification has reported the outcome already.
    const isSubmitted = kind === 'defend' && dispute.status !== 'accepted';
    await commit((before) => ({
      before,
      after: before,
      operation: { key, end: isSubmitted ? 'submitted' : 'done' },
    }));
    return true;
  }
  const connected = connectionOf(deps, context, dispute);
  if (connected === undefined) {
    deps.onIncident(context, waitsForConnection, dispute);
    return false;
  }
  const operation = await begunAnswer(deps, dispute, null);
  if (operation === null) throw new Error(`${dispute.id} has no open operation`);
  const room = {
    commit: async (_before: DisputeRow, change: ChangeOf) => {
      const { operation: ended } = change(dispute);
      if (ended?.end === 'refused') {
        deps.onIncident(context, 'the processor refused what it was asked again', dispute);
      }
      return { status: 200, text: await commit(change) } as const;
    },
  };
  const call = { context, subject: dispute, connected, upstreamKey: key, leaseUntil };
  return (await recoverByAsking(deps, operation, room, call)) === null;
}

/** The sweep that recovers operations on disputes only. */
export const disputeRecovery = (deps: DisputeDependencies): Sweep =>
  operationRecovery(deps, disputeRecoveries(deps));

/** Runs all recoveries that are due. @returns the number of disputes processed */
export const recoverDisputes = (deps: DisputeDependencies): Promise<number> => disputeRecovery(deps).run();
