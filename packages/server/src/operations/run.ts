import { ApiError } from '@till/contract';
import type { AccountContext } from '../accounts/context.ts';
import type { Claim } from '../idempotency/claims.ts';
import { requireAvailable } from '../processors/port/availability.ts';
import { type Connected, requireConnectionOf } from '../processors/port/connected.ts';
import { askForRequest, finishFirst } from './ask.ts';
import type { Call, Operation, Subject } from './operation.ts';
import type {
  Answer,
  IdempotentRequest,
  KeyTaken,
  OperationDependencies,
  SubjectAccess,
} from './subject-access.ts';

/**
 * Runs one kind of operation on a subject for a request. A subject has at most one open operation, and only its holder may ask
 * the processor: of two concurrent requests one proceeds, and the other waits and then sees the result.
 * @returns 200 with the subject afterwards; `keyTaken` if another request with the same key was faster
 * @throws ApiError of `mayBegin` and of a refusal; `provider_not_configured`; `provider_error` or `provider_unavailable`
 *   if the outcome is not known, or if another operation does not end in time
 */
export function runOperation<S extends Subject, Outcome extends { readonly kind: string }, Change>(
  dependencies: OperationDependencies,
  context: AccountContext,
  operation: Operation<S, Outcome, Change>,
  room: SubjectAccess<S, Outcome, Change>,
  idempotent: IdempotentRequest,
): Promise<Answer | KeyTaken> {
  return new Run(dependencies, context, operation, room, idempotent).run();
}

/** An operation that this request holds. */
interface HeldOperation<S extends Subject, Outcome extends { readonly kind: string }, Change>
  extends Pick<Call<S>, 'upstreamKey' | 'leaseUntil' | 'fresh'> {
  /** The operation itself, if it is of another kind: it has to end before this request's own may begin. Null: it is our own. */
  readonly other: Operation<S, Outcome, Change> | null;
}

class Run<S extends Subject, Outcome extends { readonly kind: string }, Change> {
  readonly #dependencies: OperationDependencies;
  readonly #context: AccountContext;
  readonly #operation: Operation<S, Outcome, Change>;
  readonly #room: SubjectAccess<S, Outcome, Change>;
  readonly #idempotent: IdempotentRequest;
  /** Recorded with the first operation that begins. Null once the key is ours; a resumed request has it from the start. */
  #unclaimed: Claim | null;
  readonly #deadline: number;
  /** Whether the effect may have been carried out already: by an earlier request with this key, or by recovery for this one. */
  #inDoubt: boolean;
  #expedited = false;

  constructor(
    dependencies: OperationDependencies,
    context: AccountContext,
    operation: Operation<S, Outcome, Change>,
    room: SubjectAccess<S, Outcome, Change>,
    idempotent: IdempotentRequest,
  ) {
    this.#dependencies = dependencies;
    this.#context = context;
    this.#operation = operation;
    this.#room = room;
    this.#idempotent = idempotent;
    this.#unclaimed = idempotent.resumes === null ? idempotent.claim : null;
    this.#deadline = dependencies.waits.deadline();
    this.#inDoubt = idempotent.resumes !== null;
  }

  async run(): Promise<Answer | KeyTaken> {
    const { waits } = this.#dependencies;
    for (;;) {
      const subject = await this.#room.read();
      const present = () =>
        answerWithPresentState(
          this.#dependencies,
          this.#context,
          this.#room,
          subject,
          this.#idempotent.claim,
        );
      if (this.#inDoubt && this.#operation.isReached(subject)) return present();
      const connected = await mayBegin(this.#dependencies, this.#context, this.#operation, subject, {
        unclaimed: this.#unclaimed,
        inDoubt: this.#inDoubt,
      });
      if (connected === 'taken') return { keyTaken: true };
      if (connected === 'nothing_to_do') return present();
      if (waits.isFull(subject.id)) throw stillRunning(this.#room);

      const begun = await this.#begin(subject);
      if (begun === 'taken') return { keyTaken: true };
      if (begun === 'busy') {
        await this.#waitForOther(subject);
        continue;
      }
      this.#unclaimed = null;
      const answer = await this.#work(subject, connected, begun);
      if (answer !== undefined) return answer;
    }
  }

  /** Begins the operation, or takes over an unanswered one of its kind or of `resumes`, under that one's upstream key. */
  async #begin(subject: S): Promise<HeldOperation<S, Outcome, Change> | 'busy' | 'taken'> {
    const { operations, lease, clock } = this.#dependencies;
    const { kind } = this.#operation;
    const upstreamKey = this.#operation.upstreamKey(subject);
    const asked = {
      claim: this.#unclaimed,
      audited: this.#idempotent.audited ?? null,
      facts: this.#room.facts(subject),
      at: this.#context.now,
    };
    const request = this.#room.request?.(subject) ?? null;
    const held = lease();
    const begun = await operations.begin({ subject, kind, upstreamKey, request, lease: held, ...asked });
    if (begun === 'begun') return { upstreamKey, leaseUntil: held.until, fresh: true, other: null };
    if (begun !== 'busy') return 'taken';
    const open = this.#room.resumes ? await this.#room.resumes.begun(subject) : this.#operation;
    if (open === null) return 'busy';
    const isOwn = open === this.#operation;
    // A resumed request already has its audit entry.
    const again = { ...asked, audited: this.#idempotent.resumes === null ? asked.audited : null };
    const taken = await operations.takeOver(subject, [open.kind], lease(), clock.now(), isOwn ? again : null);
    // Somebody works on it, or it is of a kind whose outcome only recovery can find out.
    if (taken === undefined) return 'busy';
    const { upstream_key, lease_until } = taken;
    return { upstreamKey: upstream_key, leaseUntil: lease_until, fresh: false, other: isOwn ? null : open };
  }

  /** @throws ApiError `provider_unavailable` if the other operation does not end in time, or if too many requests wait already */
  async #waitForOther(subject: S): Promise<void> {
    const { clock, operations, waits } = this.#dependencies;
    if (!this.#expedited) await operations.expedite(subject, clock.now());
    this.#expedited = true;
    const kinds = this.#room.resumes?.kinds ?? [this.#operation.kind];
    const isOver = await waits.wait({
      accountId: this.#context.accountId,
      id: subject.id,
      suspend: this.#context.suspend,
      deadline: this.#deadline,
      isOver: async () => !(await operations.isHeld(subject, kinds, clock.now())),
    });
    if (!isOver) throw stillRunning(this.#room);
  }

  /**
   * Carries out an operation that this request holds, then wakes the requests that wait for it.
   * @returns undefined if the caller has to read the subject again and decide anew
   */
  async #work(
    decided: S,
    connected: Connected,
    held: HeldOperation<S, Outcome, Change>,
  ): Promise<Answer | undefined> {
    const { operations, waits, clock } = this.#dependencies;
    const { other, ...asked } = held;
    try {
      const subject = await this.#room.read();
      if (subject.version === decided.version) {
        const call = { context: this.#context, subject, connected, ...asked };
        if (other !== null) return await finishFirst(this.#dependencies, other, this.#room, call);
        const { claim } = this.#idempotent;
        const answer = await askForRequest(this.#dependencies, this.#operation, this.#room, call, claim);
        if (answer === undefined) this.#inDoubt = true;
        return answer;
      }
      // The subject changed before we held the operation. If we have just begun the operation, nobody was asked for it, so it
      // ends, unless recovery holds it by now. If we took it over, it still has no answer and stays open for recovery.
      const { suspend } = this.#context;
      if (asked.fresh) this.#inDoubt ||= !(await operations.end(decided, asked.leaseUntil, suspend));
      else await operations.leaveToRecovery(decided, asked.leaseUntil, clock.now(), suspend);
      return undefined;
    } finally {
      waits.ended(decided.id);
    }
  }
}

/**
 * Checks whether the operation may begin. A concurrent request with the same key may have brought about the state that forbids
 * it: then the key is `taken`, and the answer of that request counts.
 */
async function mayBegin<S extends Subject, Outcome extends { readonly kind: string }, Change>(
  dependencies: OperationDependencies,
  context: AccountContext,
  operation: Operation<S, Outcome, Change>,
  subject: S,
  { unclaimed, inDoubt }: { readonly unclaimed: Claim | null; readonly inDoubt: boolean },
): Promise<Connected | 'taken' | 'nothing_to_do'> {
  try {
    if (!(await operation.mayBegin(subject, context))) return 'nothing_to_do';
    return requireAvailable(requireConnectionOf(dependencies, context, subject, { inDoubt }), { inDoubt });
  } catch (error) {
    if (unclaimed !== null && (await dependencies.isKeyTaken(context, unclaimed))) return 'taken';
    throw error;
  }
}

/** Answers with the subject's present state and stores that answer for retries, unless another request has the key by now. */
async function answerWithPresentState<S extends Subject>(
  { keepAnswer }: OperationDependencies,
  context: AccountContext,
  { write }: { readonly write: (subject: S) => string },
  subject: S,
  claim: Claim | null,
): Promise<Answer | KeyTaken> {
  const text = write(subject);
  if (claim !== null) {
    const answer = { resourceId: subject.id, status: 200, body: text, createdAt: context.now };
    if (!(await keepAnswer(context, claim, answer))) return { keyTaken: true };
  }
  return { status: 200, text };
}

const stillRunning = ({ noun }: { readonly noun: string }) =>
  new ApiError('provider_unavailable', `Another operation on this ${noun} is still running. Retry soon.`, {
    retryAfterSeconds: 2,
  });
