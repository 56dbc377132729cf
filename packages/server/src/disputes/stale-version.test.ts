import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { until } from '../processor-notifications/test-kit.ts';
import { evidenceRequest, submissionOf } from './evidence.ts';
import { recoverDisputes } from './operations/recover-disputes.ts';
import { Answering, accept, codeOf, defend, evidence } from './test-answers.ts';
import { claimOn, createDisputeKit, type DisputeKit, noAnswer } from './test-kit.ts';

let kit: DisputeKit;
let shop: Answering;

beforeAll(async () => {
  kit = await createDisputeKit();
  shop = new Answering(kit, kit.context(await kit.openAccount()));
});
afterAll(() => kit.drop());

beforeEach(() => shop.reset());

it('commit 2 of a dispute that changed since it was read writes nothing', async () => {
  const { id } = await shop.open();
  const read = await shop.present(id);
  if (read === undefined) throw new Error('no dispute');
  const events = await shop.eventsOf(id);
  const claim = claimOn();
  const wrote = await kit.deps.store.settle({
    dispute: { ...read, version: read.version - 1, status: 'accepted' },
    event: null,
    mails: [],
    at: kit.clock.now(),
    operation: { key: `${id}:a0`, end: 'done' },
    answer: { claim, body: '{}' },
  });
  expect(wrote).toBe(false);
  expect(await shop.present(id)).toEqual(read);
  expect(await shop.eventsOf(id)).toEqual(events);
});

it('a defence based on a stale version does not begin: the stored evidence is unchanged', async () => {
  const { id } = await shop.open();
  const read = await shop.present(id);
  if (read === undefined) throw new Error('no dispute');
  kit.processor.answers = [() => ({ kind: 'refused', message: 'no' })];
  expect(await codeOf(shop.answer(id, defend))).toBe('invalid_params');
  const begun = await kit.deps.operations.begin({
    subject: read,
    kind: 'defend',
    upstreamKey: `${id}:d0`,
    request: evidenceRequest(read, { ...evidence, statement: 'Another one.' }),
    at: kit.clock.now(),
    lease: kit.deps.lease(),
    claim: null,
  });
  expect(begun).toBe('busy');
  expect(await kit.deps.operations.isOpen(read)).toBe(false);
  expect(await submissionOf(kit.db, read)).toMatchObject({ statement: evidence.statement });
});

it('a late refusal does not end an operation that recovery has taken over', async () => {
  const { id } = await shop.open();
  const read = () => shop.present(id);
  const refused = () => ({ kind: 'refused', message: 'no' }) as const;
  let refuse = () => {};
  const late = new Promise<void>((resolve) => {
    refuse = resolve;
  });
  kit.processor.answers = [() => late.then(refused), refused, () => noAnswer('unknown')];
  const first = codeOf(shop.answer(id, defend));
  await until('the processor is asked', async () => kit.processor.asked.length === 1);
  // The lease expires while the process is stalled.
  kit.clock.move(3_600_000);
  expect(await recoverDisputes(kit.deps)).toBe(1);
  expect(await codeOf(shop.answer(id, accept))).toBe('provider_unavailable');
  refuse();
  expect(await first).toBe('invalid_params');
  expect(await read()).toMatchObject({ operation: 'accept', operations_done: 1 });
  kit.clock.move(60_000);
  expect(await recoverDisputes(kit.deps)).toBe(1);
  expect(await read()).toMatchObject({ status: 'accepted', operation: null, operations_done: 2 });
});
