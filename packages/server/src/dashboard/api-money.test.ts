import { randomUUID } from 'node:crypto';
import { ApiError } from '@till/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { recordDigest } from '../idempotency/claims.ts';
import { createDashboardKit, type DashboardKit } from './test-kit.ts';
import { codeOf, type Money, mountThings, operations, to } from './test-things.ts';

let kit: DashboardKit;
let account: string;
let money: Money;
beforeAll(async () => {
  kit = await createDashboardKit();
  money = mountThings(kit);
  mountCapture();
  account = await kit.openAccount();
});
afterAll(() => kit.drop());

describe('an operation that moves money', () => {
  it('needs a key, does its work once for it, and repeats its answer', async () => {
    const { call } = await kit.signIn(account, 'support');
    const send = (key: string | null, amount = 5) =>
      call('POST', to(account, '/money'), {
        body: { amount },
        headers: key === null ? {} : { 'idempotency-key': key },
      });
    expect(codeOf(await send(null))).toBe('missing_idempotency_key');
    const before = money.paid;
    const [first, second] = [await send('key-1'), await send('key-1')];
    expect([first.status, first.text]).toEqual([201, second.text]);
    expect(second.headers['idempotent-replayed']).toBe('true');
    expect(money.paid).toBe(before + 1);
    expect(codeOf(await send('key-1', 6))).toBe('key_reused');
  });

  it('has one entry in the log, however often it is repeated', async () => {
    const place = await kit.openAccount();
    const { call, user } = await kit.signIn(place, 'support');
    const headers = { 'idempotency-key': randomUUID() };
    for (let time = 0; time < 3; time += 1) {
      await call('POST', to(place, '/money'), { body: { amount: 5 }, headers });
    }
    expect(await kit.audit(place)).toEqual([
      { action: 'thing.paid', email: user.email, object_id: 'thing_1', before: null, after: null },
    ]);
  });

  it('and ends without an answer stands in the log as of unknown outcome; a refusal does not', async () => {
    const place = await kit.openAccount();
    const { call } = await kit.signIn(place, 'support');
    const usual = money.next;
    const send = () =>
      call('POST', to(place, '/money'), {
        body: { amount: 5 },
        headers: { 'idempotency-key': randomUUID() },
      });
    money.next = async () => {
      throw new ApiError('amount_invalid', 'too much');
    };
    expect((await send()).status).toBe(422);
    expect(await kit.audit(place)).toEqual([]);
    money.next = async () => {
      throw new ApiError('provider_unavailable', 'no answer');
    };
    expect((await send()).status).toBe(503);
    expect(await kit.audit(place)).toMatchObject([
      { action: 'thing.paid', after: { outcome: 'unknown', code: 'provider_unavailable' } },
    ]);
    money.next = usual;
  });
});

const capture = { ...operations.money, id: 'capture', path: `${operations.view.path}/capture` } as const;
let isActive = true;
let isAnswering = true;

/** Mounts an operation that claims its key and may end without an answer. */
function mountCapture(): void {
  kit.api.mount(
    capture,
    async ({ context, claim, resumes }) => {
      if (resumes === null && claim !== null) {
        await kit.db.query({
          text: `insert into idempotency_keys (tenant, digest, fingerprint, state, lease_owner,
                   lease_until, resource_id, created_at)
                 values ($1, $2, decode($3, 'hex'), 'running', $4, $5, 'thing_1', $6)`,
          values: [
            context.tenant,
            recordDigest(claim),
            claim.fingerprint,
            claim.owner,
            claim.leaseUntil,
            context.now,
          ],
          scope: context,
        });
      }
      if (!isAnswering) throw new ApiError('provider_unavailable', 'no answer');
      return { status: 201, body: { id: resumes ?? 'new', amount: 5 } };
    },
    () => {
      if (!isActive) throw new ApiError('processing_not_active', 'Suspended.');
    },
  );
}

describe('an operation that was begun', () => {
  it('is resumed by a repeat, whatever would refuse it by now', async () => {
    const { call } = await kit.signIn(account, 'support');
    const send = (key: string) =>
      call('POST', to(account, '/capture'), { body: { amount: 5 }, headers: { 'idempotency-key': key } });
    isAnswering = false;
    expect(codeOf(await send('capture-1'))).toBe('provider_unavailable');
    isAnswering = true;
    isActive = false;
    expect(codeOf(await send('capture-2'))).toBe('processing_not_active');
    const repeat = await send('capture-1');
    expect([repeat.status, repeat.body]).toEqual([201, { id: 'thing_1', amount: 5 }]);
    isActive = true;
  });
});

describe('the log', () => {
  it('has what the operation says of the change, or the object alone, and nothing of what only reads', async () => {
    const place = await kit.openAccount();
    const { call, user } = await kit.signIn(place, 'owner');
    await call('GET', to(place));
    await call('PATCH', to(place));
    kit.clock.move(1);
    await call('DELETE', to(place));
    expect(await kit.audit(place)).toEqual([
      {
        action: 'thing.changed',
        email: user.email,
        object_id: 'thing_1',
        before: { amount: 1 },
        after: { amount: 2 },
      },
      { action: 'thing.closed', email: user.email, object_id: 'thing_1', before: null, after: null },
    ]);
  });
});
