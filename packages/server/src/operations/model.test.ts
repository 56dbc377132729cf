import type { Provider } from '@till/contract';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { recoveriesOf } from '../compose/jobs.ts';
import type { End, Outcome, State } from './model/test-kind.ts';
import { kindModels } from './model/test-kinds.ts';
import { type Fault, faults, isDeath } from './model/test-ledger.ts';
import { createWorld, type Process, type Reply, type Shop, type World } from './model/test-world.ts';
import { type OperationKind, operationKinds } from './operation.ts';

const runsOfEach = 12;
const hourMs = 3_600_000;
/** The retry plan ends with hourly attempts, and a processor forgets the key of a charge after five hours. */
const maxHours = 12;

let world: World;

beforeAll(async () => {
  world = await createWorld();
});
afterAll(() => world.drop());

/** One step: what happens, which faults its calls to the processor meet, and how much time passes afterwards. */
interface Step {
  readonly action: 'ask' | 'abandon' | 'recover' | 'notify';
  readonly faults: readonly Fault[];
  readonly seconds: number;
}

interface Script {
  readonly outcome: string;
  readonly processor: Provider;
  readonly steps: readonly Step[];
  /** Whether recovery ends what is still open after the steps, before the request is repeated. */
  readonly isLeftToRecovery: boolean;
}

/** One intent from its request to its end. */
class Life {
  readonly #kind: OperationKind;
  readonly #shop: Shop;
  readonly #outcome: Outcome;
  readonly #replies: Reply[] = [];

  constructor(kind: OperationKind, shop: Shop, outcome: Outcome) {
    this.#kind = kind;
    this.#shop = shop;
    this.#outcome = outcome;
  }

  get #model() {
    return kindModels[this.#kind];
  }

  async live({ steps, isLeftToRecovery }: Script): Promise<void> {
    const { ledger } = this.#shop;
    ledger.plan = { ...ledger.plan, ...this.#outcome.plan };
    await this.#model.prepare(this.#shop, world);
    for (const step of steps) await this.#take(step);
    if (isLeftToRecovery) await this.#drain();
    await this.#action('ask', world.living);
    await this.#drain();
    // A late notification and a repeated request change nothing.
    const update = this.#model.update(this.#shop);
    if (update !== null) expect(await world.living.notify(this.#shop.context(), update)).toBe('applied');
    await this.#drain();
    await this.#action('ask', world.living);
  }

  async #take({ action, faults: coming, seconds }: Step): Promise<void> {
    const { ledger, clock } = this.#shop;
    const dies = action === 'abandon' || coming.some(isDeath);
    ledger.faults = [...coming];
    const death = ledger.nextDeath();
    await Promise.race([this.#action(action, dies ? world.dying : world.living), death]);
    ledger.faults = [];
    clock.move(seconds * 1000);
  }

  async #action(action: Step['action'], process: Process): Promise<void> {
    switch (action) {
      case 'ask': {
        const reply = await this.#model.ask(this.#shop, process);
        if (reply !== null) this.#replies.push(reply);
        return;
      }
      case 'abandon':
        return this.#model.abandon?.(this.#shop, process);
      case 'recover':
        return void (await process.recover());
      case 'notify': {
        const update = this.#model.update(this.#shop);
        if (update !== null) await process.notify(this.#shop.context(), update);
      }
    }
  }

  /** Runs recovery hour by hour until nothing is open. In the second half the processor's notifications arrive as well. */
  async #drain(): Promise<void> {
    for (let hours = 0; (await this.#shop.open()).length > 0; hours += 1) {
      expect(hours, 'hours until nothing is open').toBeLessThan(maxHours);
      this.#shop.clock.move(hourMs);
      await this.#action('recover', world.living);
      if (hours > maxHours / 2) await this.#action('notify', world.living);
    }
  }

  /** Checks the end state. @returns the end, and the part of the state that has to be the same on every path */
  async check(): Promise<{ end: End; seen: object }> {
    const { ledger } = this.#shop;
    const state = await this.#model.read(this.#shop, world.living);
    const { events, alerts } = await this.#shop.recorded();
    const ends = [this.#outcome.end, ...(this.#model.others ?? [])];
    const end = ends.find(({ effects }) => JSON.stringify(effects) === JSON.stringify(ledger.effects));
    if (end === undefined) throw new Error(`done at the processor: ${JSON.stringify(ledger.effects)}`);
    expect({ status: state.status, code: state.code, events, alerts }).toEqual({
      status: end.status,
      code: end.code ?? null,
      events: end.events,
      alerts: [],
    });
    this.#checkReplies(state, end);
    return { end, seen: comparable({ shown: state.shown, kept: state.kept }) as object };
  }

  /** Checks that nothing was refused that is carried out later, and that the key has one answer: the state. */
  #checkReplies(state: State, end: End): void {
    const refused = this.#replies.filter(({ status }) => status === 422);
    if (this.#outcome.end.isRefusal !== true) expect(refused).toEqual([]);
    const answers = new Set(this.#replies.filter(({ status }) => status < 300).map(({ text }) => text));
    const isAsked = this.#replies.length > 0;
    expect(answers.size).toBe(isAsked && end.isRefusal !== true ? 1 : 0);
    for (const text of answers) {
      const shown = JSON.parse(text);
      // A refund is answered before it ends.
      const isPending = shown.object === 'refund' && shown.status === 'pending';
      expect(shown).toEqual(isPending ? { ...state.shown, status: 'pending', failure: null } : state.shown);
    }
  }
}

/** Replaces what differs between runs: ids, times and addresses with tokens. */
function comparable(value: unknown): unknown {
  return JSON.parse(
    JSON.stringify(value, (_name, inner: unknown) => {
      if (typeof inner === 'number' && inner > 1e9) return 'moment';
      if (typeof inner !== 'string') return inner;
      if (/^\d{4}-\d\d-\d\dT/.test(inner)) return 'moment';
      if (inner.startsWith('https://till.example/')) return 'address';
      return /^(pay|re|dsp|pm|cus)_[a-z0-9]{24}$/.exec(inner)?.[1] ?? inner;
    }),
  );
}

const outcomeOf = (kind: OperationKind, name: string): Outcome => {
  const outcome = kindModels[kind].outcomes[name];
  if (outcome === undefined) throw new Error(`${kind} has no outcome ${name}`);
  return outcome;
};

async function endOf(kind: OperationKind, script: Script) {
  const outcome = outcomeOf(kind, script.outcome);
  const life = new Life(kind, await world.open(script.processor), outcome);
  await life.live(script);
  const { end, seen } = await life.check();
  if (script.steps.every((step) => step.action === 'ask' && step.faults.length === 0)) {
    expect(end).toBe(outcome.end);
  }
  return end === outcome.end ? seen : null;
}

const references = new Map<string, Promise<object | null>>();

/** The end state of a request with which nothing goes wrong. */
function reference(kind: OperationKind, { outcome, processor }: Script): Promise<object | null> {
  const name = `${kind} ${outcome} ${processor}`;
  const known =
    references.get(name) ?? endOf(kind, { outcome, processor, steps: [], isLeftToRecovery: false });
  references.set(name, known);
  return known;
}

/** Plays a script. If the processor carried the request out, it has to end like a request with which nothing goes wrong. */
async function play(kind: OperationKind, script: Script): Promise<void> {
  const straight = await reference(kind, script);
  const seen = await endOf(kind, script);
  if (seen !== null) expect(seen).toEqual(straight);
}

const step = (action: Step['action'], ...coming: Fault[]): Step => ({ action, faults: coming, seconds: 1 });

const ways: Readonly<Record<string, readonly Step[]>> = {
  'its request': [step('ask')],
  'recovery of a lost answer': [step('ask', 'lost')],
  'recovery of a lost request': [step('ask', 'dropped')],
  'recovery of what was not executed': [step('ask', 'not_executed')],
  'recovery after a crash before it asked': [step('ask', 'dies_before')],
  'recovery after a crash before it kept the answer': [step('ask', 'dies_after')],
  'recovery after a crash of recovery': [step('ask', 'dies_after'), step('recover', 'dies_after')],
  'recovery of what nobody asked for yet': [step('abandon')],
  'a notification after a lost answer': [step('ask', 'lost'), step('notify')],
  'a notification after a crash': [step('ask', 'dies_after'), step('notify')],
};

/** @param min for how many calls a fault is drawn at least: the first step needs one, since the rest of a script builds on it */
const stepOf = (isAbandoned: boolean, min: number): fc.Arbitrary<Step> =>
  fc.record({
    action: fc.constantFrom<Step['action'][]>(
      'ask',
      'recover',
      'notify',
      ...(isAbandoned ? (['abandon'] as const) : []),
    ),
    faults: fc.array(fc.constantFrom(...faults), { minLength: min, maxLength: 2 }),
    seconds: fc.constantFrom(1, 6, 45, 400),
  });

const scriptOf = (kind: OperationKind): fc.Arbitrary<Script> => {
  const { outcomes, processors, abandon } = kindModels[kind];
  const isAbandoned = abandon !== undefined;
  const first = fc.constantFrom<Step['action'][]>('ask', ...(isAbandoned ? (['abandon'] as const) : []));
  return fc.record({
    outcome: fc.constantFrom(...Object.keys(outcomes)),
    processor: fc.constantFrom(...processors),
    steps: fc
      .tuple(
        fc.tuple(first, stepOf(false, 1)).map(([action, drawn]): Step => ({ ...drawn, action })),
        fc.array(stepOf(isAbandoned, 0), { maxLength: 5 }),
      )
      .map(([begin, more]) => [begin, ...more]),
    isLeftToRecovery: fc.boolean(),
  });
};

it('every kind of operation has a recovery', () => {
  const recoveries = recoveriesOf({} as Parameters<typeof recoveriesOf>[0]);
  expect(Object.keys(recoveries).sort()).toEqual([...operationKinds].sort());
});

describe.each(operationKinds)('%s', (kind) => {
  const { outcomes, processors, abandon } = kindModels[kind];

  it.each(Object.keys(outcomes))('ends alike on each path: %s', async (outcome) => {
    const taken = Object.values(ways).filter(
      ([first]) => first?.action !== 'abandon' || abandon !== undefined,
    );
    for (const [n, steps] of taken.entries()) {
      const processor = processors[n % processors.length] as Provider;
      await play(kind, { outcome, processor, steps, isLeftToRecovery: true });
    }
  });

  it('ends as the processor’s ledger says, in any sequence of crashes, recovery and notifications', async () => {
    await fc.assert(
      fc.asyncProperty(scriptOf(kind), (script) => play(kind, script)),
      { numRuns: runsOfEach },
    );
  });
});
