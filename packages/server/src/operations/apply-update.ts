import type { AccountContext } from '../accounts/context.ts';
import type { Effect, Lease, OperationKind, Subject } from './operation.ts';
import type { OperationStore } from './store.ts';

/** `later`: it cannot be applied yet, because somebody works on the same subject; the caller tries again. */
export type Applied = 'applied' | 'later';

interface Dependencies {
  readonly operations: OperationStore;
  readonly lease: () => Lease;
  readonly clock: { now(): Date };
}

/** Commits what a notification means; false where the subject changed meanwhile. */
type Commit = () => Promise<boolean>;

/** Settles an operation that was left without an answer by what a notification says; one that is asked gets its own answer. */
export async function settleOpen(
  { operations, lease, clock }: Dependencies,
  subject: Subject,
  kinds: readonly OperationKind[],
  commit: Commit,
): Promise<Applied> {
  const taken = await operations.takeOver(subject, kinds, lease(), clock.now());
  if (taken === undefined) return 'later';
  return (await commit()) ? 'applied' : 'later';
}

/** The upstream settled what nobody here asked it to, such as in its own dashboard: its word counts. */
export async function settleUnasked(
  { operations, lease }: Dependencies,
  { now }: AccountContext,
  subject: Subject,
  kind: OperationKind,
  commit: Commit,
): Promise<Applied> {
  const upstreamKey = `${subject.id}:n`;
  const held = lease();
  const begun = await operations.begin({ subject, kind, upstreamKey, at: now, lease: held, claim: null });
  if (begun !== 'begun') return 'later';
  if (await commit()) return 'applied';
  await operations.end(subject, held.until);
  return 'later';
}

/** The change that an outcome means which is never refused and never unknown, as those are that notifications report. */
export function changeOf<Change>(effect: Effect<Change>): Change {
  if (effect.kind === 'change') return effect.change;
  throw new Error(`a reported outcome cannot be ${effect.kind}`);
}
