import { afterAll, describe, expect, it } from 'vitest';
import { type BadInput, sharedCases } from '../../support/bad-inputs/cases.ts';
import { expectDecent, expectDetails, expectOutcome, maxMs } from '../../support/bad-inputs/judge.ts';
import { featureGaps } from '../../support/bad-inputs/needs.ts';
import { fillFor, send, sendOnce, sendTimed, withTrigger } from '../../support/bad-inputs/send.ts';
import { CaseWorld, World } from '../../support/bad-inputs/world.ts';
import { type Reply, tillRaw } from '../../support/merchant.ts';

const cases = sharedCases();
const gapOf = cases === undefined ? () => undefined : await featureGaps();
const world = new World();

async function runHttp(written: BadInput): Promise<void> {
  const one = await withTrigger(written);
  const fill = await fillFor(one, new CaseWorld(world));
  let setup: Reply | undefined;
  for (const request of one.setup ?? []) setup = world.note(await send(request, fill));
  const { reply, ms } = await sendTimed(one, fill, maxMs(one));
  world.note(reply);
  expectDecent(one, reply, ms);
  expectOutcome(one.expect, reply);
  const sent = reply.body === undefined || one.body === undefined ? {} : bodyOf(one, fill);
  expectDetails(one.expect, reply, { body: sent, setup });
  if (one.expect.then_status !== undefined) {
    const path = (one.path ?? '').replace(/\/[a-z]+$/, '');
    const after = await send({ method: 'GET', path, headers: one.headers }, fill);
    expect(after.body.status).toBe(one.expect.then_status);
  }
  // Repeating the request with the same key resumes a charge that is in doubt; afterwards ledger and responses have to
  // agree. An unusable order is the only failure that is replayed forever (decisions, "Idempotency").
  const final = one.expect.code === 'missing_approval_url';
  if (reply.status >= 502 && !final) await untilKnown(one, fill);
}

function bodyOf(one: BadInput, fill: Parameters<typeof send>[1]): unknown {
  const text = fill(JSON.stringify(one.body));
  const parsed = JSON.parse(text) as Record<string, unknown>;
  const echo = one.expect.echo;
  const value = echo === undefined ? undefined : (parsed[echo] as { $repeat?: [string, number] });
  return value?.$repeat === undefined
    ? parsed
    : { ...parsed, [echo ?? '']: value.$repeat[0].repeat(value.$repeat[1]) };
}

async function untilKnown(one: BadInput, fill: Parameters<typeof send>[1]): Promise<void> {
  for (;;) {
    const reply = world.note(await send(one, fill));
    if (reply.status < 500) return;
    expect([502, 503]).toContain(reply.status);
    const seconds = Number(reply.headers.get('retry-after') ?? 0);
    await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
  }
}

/**
 * Sends the request many times at once. The file's expected number of rate-limited responses is a minimum, because the
 * bucket refills while they arrive.
 */
async function runManyTimes(one: BadInput): Promise<void> {
  const burstWorld = new CaseWorld(new World());
  const fill = await fillFor(one, burstWorld);
  const burst = Number((await sendOnce(one, fill)).headers.get('ratelimit-limit'));
  const wanted = (replies: Reply[]) => replies.filter((reply) => reply.status === one.expect.status);
  for (let round = 0; round < 10; round += 1) {
    const replies = await Promise.all(Array.from({ length: burst + 50 }, () => sendOnce(one, fill)));
    for (const reply of wanted(replies)) {
      expectOutcome(one.expect, reply);
      expectDetails(one.expect, reply, { body: undefined, setup: undefined });
    }
    if (wanted(replies).length > 0) return;
  }
  throw new Error(`never ${one.expect.status}`);
}

async function runCommand(one: BadInput): Promise<void> {
  const fill = await fillFor(one, new CaseWorld(world));
  const result = await tillRaw(...(one.cli ?? []).map(fill), '--json');
  if (one.expect.exit === 'any') expect([0, 1]).toContain(result.exitCode);
  else expect(result.exitCode).toBe(one.expect.exit);
  expect(() => JSON.parse(result.out) as unknown).not.toThrow();
}

function run(one: BadInput): Promise<void> {
  if (one.cli !== undefined) return runCommand(one);
  return one.times === undefined ? runHttp(one) : runManyTimes(one);
}

describe.skipIf(cases === undefined)('bad-inputs.json', () => {
  const numbered = (cases ?? []).map((one, index) => ({
    title: `${index} ${one.name}`,
    one,
    gap: gapOf(one),
  }));
  const waiting = numbered.filter(({ gap }) => gap !== undefined);

  afterAll(() => {
    const gaps = [...new Set(waiting.map(({ gap }) => gap))].join(', ');
    process.stdout.write(
      `bad-inputs.json: ${numbered.length} cases, ${numbered.length - waiting.length} run, ${waiting.length} wait for: ${gaps}\n`,
    );
  });

  for (const { title, one, gap } of numbered) {
    it.skipIf(gap !== undefined)(title, () => run(one));
  }

  it('charges exactly what was answered as charged', async () => {
    const accounts = await world.accounts;
    const ledgers = await Promise.all(accounts.map((account) => account.ledger()));
    const references = ledgers.flatMap((ledger) =>
      ledger.charges.filter((charge) => charge.status === 'captured').map((charge) => charge.reference),
    );
    expect([...references].sort()).toEqual([...world.charged].sort());
  });
});

describe.runIf(cases === undefined)('bad-inputs.json', () => {
  it.skip('is not beside the repository (../shared/bad-inputs.json)', () => {});
});
