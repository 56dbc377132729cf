import type { AccountContext } from '../accounts/context.ts';
import type { Effect, Lease, OperationKind, Subject } from './operation.ts';
import type { OperationStore } from './store.ts';

/** `later`: it cannot be applied yet, for example because somebody works on the same subject; the caller tries again. */
export type Applied = 'applied' | 'later';

interface Dependencies {
  readonly operations: OperationStore;
  readonly lease: () => Lease;
  readonly clock: { now(): Date };
}

/** Commits what a notification means; returns false if the subject changed meanwhile. */
type Commit = () => Promise<boolean>;

/** Settles an unanswered operation with what a notification says. One that is being asked now gets its own answer: `later`. */
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

/** Commits a change that the upstream made without our asking, for example in its own dashboard: its report counts. */
export async function settleUnrequested(
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

/** Returns the change of an effect. An outcome that a notification reports is never a refusal and never unknown. */
export function changeOf<Change>(effect: Effect<Change>): Change {
  if (effect.kind === 'change') return effect.change;
  throw new Error(`a reported outcome cannot be ${effect.kind}`);
}
