import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { newId } from '../lib/ids.ts';
import { capturePayment } from '../payments/operations/capture.ts';
import { recoverPayments } from '../payments/operations/recoveries.ts';
import { voidPayment } from '../payments/operations/void.ts';
import { chargedAs, createMoneyKit, type MoneyKit, noAnswer, Shop } from '../payments/test-kit.ts';
import { idsOnly } from '../processors/upstream/facts.ts';
import type { AuditedRequest } from '../users/audit/audited-requests.ts';
import { insertUser } from '../users/people/users.ts';
import { createRefund } from './create-refund.ts';
import { recoverRefunds } from './refund.ts';

const hourMs = 3_600_000;
const captured = { kind: 'succeeded', facts: idsOnly({ capture: 'C1' }) } as const;
const refunded = { kind: 'succeeded', upstreamId: 'R1' } as const;
/** An answer that is never received, as if the process dies while the request is in flight. */
const never = new Promise<never>(() => {});

let kit: MoneyKit;
let user: { id: string; email: string };
beforeAll(async () => {
  kit = await createMoneyKit();
  user = { id: newId('usr', kit.clock.now(), randomBytes), email: 'ada@shop.example' };
  await insertUser(kit.db, { ...user, passwordHash: '', at: kit.clock.now() });
});
afterAll(() => kit.drop());

let shop: Shop;
beforeEach(async () => {
  shop = await Shop.open(kit, 'processor_b');
  kit.processor.answers = {};
});

const auditedAs = (action: string): AuditedRequest => ({
  id: newId('aud', kit.clock.now(), randomBytes),
  userId: user.id,
  email: user.email,
  action,
  ip: '203.0.113.7',
  at: kit.clock.now(),
});

const entries = () =>
  kit.db.query<{ action: string; object_id: string; after: object; awaits: string | null }>({
    text: 'select action, object_id, email, after, ip, awaits from audit_log where account_id = $1 order by id',
    values: [shop.context().accountId],
    scope: 'everybody',
  });

/** Authorizes a payment without capturing it. @returns its id */
async function hold(): Promise<string> {
  const at = kit.clock.now().getTime();
  const deadlines = { guaranteedUntil: new Date(at + hourMs), expires: new Date(at + 2 * hourMs) };
  kit.processor.answers.charge = async () => ({ kind: 'authorized', facts: idsOnly({}), deadlines });
  await shop.pay('k');
  return (await shop.paymentOf('k')).id;
}

async function paid(): Promise<string> {
  kit.processor.answers.charge = async () => chargedAs('PSP1');
  await shop.pay('k');
  return (await shop.paymentOf('k')).id;
}

const fresh = { claim: null, resumes: null };
const asStaff = (action: string) => ({ ...fresh, audited: auditedAs(action) });
const capture = (
  id: string,
  idempotent: Parameters<typeof capturePayment>[3] = asStaff('payment.captured'),
) => capturePayment(kit.payments, shop.context(), id, idempotent);
const refund = (id: string, amount = 1000) =>
  createRefund(kit.refunds, shop.context(), {
    paymentId: id,
    request: { amount, reason: 'duplicate' },
    ...asStaff('payment.refunded'),
  });

const money = { amount: 4990, currency: 'EUR' };

/** Lets all leases expire and runs the recovery of everything that is due. */
async function recover(): Promise<void> {
  kit.clock.move(hourMs);
  await recoverPayments(kit.payments);
  await recoverRefunds(kit.refunds);
}

describe('audit entry of an operation from the dashboard', () => {
  it('written before the processor is asked, completed with the outcome', async () => {
    const id = await hold();
    let meanwhile: unknown;
    kit.processor.answers.capture = async () => {
      meanwhile = await entries();
      return captured;
    };
    await capture(id);
    const entry = { action: 'payment.captured', object_id: id, email: user.email, ip: '203.0.113.7' };
    expect(meanwhile).toEqual([{ ...entry, after: { ...money, outcome: 'unknown' }, awaits: id }]);
    expect(await entries()).toEqual([{ ...entry, after: { ...money, status: 'succeeded' }, awaits: null }]);
  });

  it('one entry though the processor gave no answer and recovery ends it', async () => {
    const id = await hold();
    kit.processor.answers.void = async () => noAnswer;
    const idempotent = asStaff('payment.voided');
    await expect(voidPayment(kit.payments, shop.context(), id, idempotent)).rejects.toThrow();
    expect(await entries()).toMatchObject([{ after: { outcome: 'unknown' } }]);
    kit.processor.answers.void = async () => ({ kind: 'voided' });
    await recover();
    expect(await entries()).toMatchObject([
      { action: 'payment.voided', after: { ...money, status: 'voided' }, awaits: null },
    ]);
  });

  it('exists though the process dies before it receives the answer', async () => {
    const id = await hold();
    let asked = () => {};
    const isAsked = new Promise<void>((resolve) => {
      asked = resolve;
    });
    kit.processor.answers.capture = () => {
      asked();
      return never;
    };
    void capture(id);
    await isAsked;
    expect(await entries()).toMatchObject([{ after: { outcome: 'unknown' }, awaits: id }]);
    kit.processor.answers.capture = async () => captured;
    await recover();
    expect(await entries()).toMatchObject([{ after: { status: 'succeeded' }, awaits: null }]);
  });

  it('records no change where the processor did nothing', async () => {
    const id = await hold();
    kit.processor.answers.capture = async () => ({ ...noAnswer, kind: 'not_executed' });
    await expect(capture(id)).rejects.toThrow('Nothing has changed');
    expect(await entries()).toMatchObject([
      { after: { ...money, outcome: 'nothing_changed' }, awaits: null },
    ]);
  });

  it('none where the request was refused before the processor was asked', async () => {
    const id = await paid();
    await expect(capture(id)).rejects.toThrow('Only an authorized payment');
    await expect(refund(id, 5000)).rejects.toThrow('amount must be at most');
    expect(await entries()).toEqual([]);
  });

  it('names each person who repeats the request while its outcome is unknown', async () => {
    const id = await hold();
    kit.processor.answers.capture = async () => noAnswer;
    await expect(capture(id)).rejects.toThrow();
    kit.clock.move(1);
    kit.processor.answers.capture = async () => captured;
    await capture(id);
    expect((await entries()).map(({ after }) => after)).toEqual([
      { ...money, status: 'succeeded' },
      { ...money, status: 'succeeded' },
    ]);
  });

  it('one entry though the same request is resumed', async () => {
    const id = await hold();
    kit.processor.answers.capture = async () => noAnswer;
    await expect(capture(id)).rejects.toThrow();
    kit.processor.answers.capture = async () => captured;
    await capture(id, { ...asStaff('payment.captured'), resumes: id });
    await capture(id, { ...asStaff('payment.captured'), resumes: id });
    expect(await entries()).toMatchObject([{ after: { status: 'succeeded' } }]);
  });

  it('none for a request of the API', async () => {
    const id = await hold();
    kit.processor.answers.capture = async () => captured;
    await capture(id, fresh);
    expect(await entries()).toEqual([]);
  });
});

describe('audit entry of a refund from the dashboard', () => {
  it('has the amount, and the status pending until the processor answers', async () => {
    const id = await paid();
    let meanwhile: unknown;
    kit.processor.answers.refund = async () => {
      meanwhile = await entries();
      return { kind: 'failed', upstreamId: null, failure: { code: 'refused', message: 'No' } };
    };
    const answer = await refund(id);
    const { id: refundId } = JSON.parse('text' in answer ? answer.text : '{}') as { id: string };
    const facts = { refund: refundId, amount: 1000, currency: 'EUR', reason: 'duplicate' };
    expect(meanwhile).toMatchObject([
      { object_id: id, after: { ...facts, status: 'pending', outcome: 'unknown' }, awaits: refundId },
    ]);
    expect(await entries()).toMatchObject([{ after: { ...facts, status: 'failed' }, awaits: null }]);
  });

  it('one entry though recovery gets its answer', async () => {
    const id = await paid();
    kit.processor.answers.refund = async () => noAnswer;
    await expect(refund(id)).rejects.toThrow();
    kit.processor.answers.refund = async () => refunded;
    await recover();
    await recover();
    const after = (await entries()).map((entry) => entry.after);
    expect(after).toEqual([expect.not.objectContaining({ outcome: 'unknown' })]);
  });
});
