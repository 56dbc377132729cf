import { afterAll, beforeAll, expect, it } from 'vitest';
import { evidenceRequest, submissionOf } from './evidence.ts';
import { Answering, codeOf, defend, evidence } from './test-answers.ts';
import { claimOn, createDisputeKit, type DisputeKit } from './test-kit.ts';

let kit: DisputeKit;
let shop: Answering;

beforeAll(async () => {
  kit = await createDisputeKit();
  shop = new Answering(kit, kit.context(await kit.openAccount()));
});
afterAll(() => kit.drop());

it('commit 2 of a dispute that changed since it was read writes nothing', async () => {
  const { id } = await shop.open();
  const read = await shop.present(id);
  if (read === undefined) throw new Error('no dispute');
  const events = await shop.eventsOf(id);
  const claim = claimOn();
  const wrote = await kit.parts.store.settle({
    dispute: { ...read, version: read.version - 1, status: 'accepted' },
    event: null,
    mails: [],
    at: kit.clock.now(),
    operation: 'done',
    answer: { claim, body: '{}' },
  });
  expect(wrote).toBe(false);
  expect(await shop.present(id)).toEqual(read);
  expect(await shop.eventsOf(id)).toEqual(events);
});

it('a defence that was decided on before another one was refused does not begin, so nobody has to find its evidence', async () => {
  const { id } = await shop.open();
  const read = await shop.present(id);
  if (read === undefined) throw new Error('no dispute');
  kit.processor.answers = [() => ({ kind: 'refused', message: 'no' })];
  expect(await codeOf(shop.answer(id, defend))).toBe('invalid_params');
  const begun = await kit.parts.operations.begin({
    subject: read,
    kind: 'defend',
    upstreamKey: `${id}:d0`,
    request: evidenceRequest(read, { ...evidence, statement: 'Another one.' }),
    at: kit.clock.now(),
    lease: kit.parts.lease(),
    claim: null,
  });
  expect(begun).toBe('busy');
  expect(await kit.parts.operations.isOpen(read)).toBe(false);
  expect(await submissionOf(kit.db, read)).toMatchObject({ statement: evidence.statement });
});
