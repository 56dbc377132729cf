import type { ApiError } from '@till/contract';
import type { AccountContext } from '../accounts/context.ts';
import type { Claim } from '../idempotency/claims.ts';
import type { DisputeFacts } from '../processors/port/disputes.ts';
import { applyDisputeFacts } from './notifications/apply-facts.ts';
import type { Move } from './operations/answer.ts';
import { answerDispute, type DisputeAnswer } from './operations/answer-dispute.ts';
import { type DisputeKit, factsOf } from './test-kit.ts';

export const accept: Move = { kind: 'accept' };

export const evidence = {
  reasonCode: null,
  statement: 'It was delivered.',
  evidence: [{ type: 'receipt', text: 'Receipt 1', file: null }],
} as const;

export const defend: Move = { kind: 'defend', submission: evidence };

/** The dispute in the response of a request. */
export async function shown(answered: Promise<DisputeAnswer>) {
  const result = await answered;
  if ('keyTaken' in result) throw new Error('the claim was lost');
  return JSON.parse(result.text);
}

/** The code of the error that a promise rejects with; `answered` if it resolves. */
export const codeOf = (answered: Promise<unknown>): Promise<string> =>
  answered.then(
    () => 'answered',
    (error: unknown) => (error as ApiError).code,
  );

/** Opens disputes of one account and answers them. */
export class Answering {
  readonly #kit: DisputeKit;
  readonly where: AccountContext;

  constructor(kit: DisputeKit, where: AccountContext) {
    this.#kit = kit;
    this.where = where;
  }

  /** Clears the processor's recorded requests and prepared answers. */
  reset(): void {
    const { processor, clock } = this.#kit;
    processor.asked.length = 0;
    processor.answers = [];
    clock.whileWaiting = async () => {};
  }

  /** Opens a dispute. @returns the upstream's facts and the dispute's id */
  async open(changes: Partial<DisputeFacts> = {}): Promise<DisputeFacts & { id: string }> {
    const facts = factsOf(await this.#kit.pay(this.where), changes);
    await this.apply(facts);
    const row = await this.#kit.deps.store.findByUpstreamId(this.where, facts.upstreamId);
    return { ...facts, id: row?.id ?? '' };
  }

  apply(facts: DisputeFacts) {
    return applyDisputeFacts(this.#kit.deps, this.where, facts);
  }

  /** @param resumes id of the dispute if an earlier request with the key got no answer */
  answer(id: string, move: Move, claim: Claim | null = null, resumes: string | null = null) {
    const context = { ...this.where, now: this.#kit.clock.now() };
    return answerDispute(this.#kit.deps, context, id, move, { claim, resumes });
  }

  /** Makes the processor hold its next answer. @returns a function that releases it */
  holdAnswer(): () => void {
    let go = () => {};
    const held = new Promise<void>((resolve) => {
      go = resolve;
    });
    this.#kit.processor.answers = [() => held.then(() => ({ kind: 'done' }) as const)];
    return () => go();
  }

  present(id: string) {
    return this.#kit.deps.store.find(this.where, id);
  }

  async eventsOf(id: string): Promise<string[]> {
    return (await this.#kit.events(id)).map(({ type }) => type);
  }
}
