import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readReceived } from '../../ledger.ts';
import { createTestDatabase, type TestDatabase } from '../../test-database.ts';
import { resolveOrder } from '../orders/approval.ts';
import {
  captured,
  cardSource,
  createTestClient,
  issue,
  order,
  ordersPath,
  payerAction,
  referenceOf,
  shopOf,
  type TestClient,
  testPan,
  untilWaiting,
  withSca,
} from '../test-client.ts';

let db: TestDatabase;
let client: TestClient;
let shop: ReturnType<typeof shopOf>;

beforeAll(async () => {
  db = await createTestDatabase();
  client = createTestClient(db.pool);
  shop = shopOf(client);
});
afterAll(() => db.drop());

describe('3-D Secure without a challenge', () => {
  test.each([
    ['4868719196829038', 'POSSIBLE', 'Y', 'Y', '0000'],
    ['4868719581920723', 'POSSIBLE', 'Y', 'A', '0000'],
    ['4868719158130060', 'NO', 'Y', 'N', '7710'],
    ['4868719081564153', 'NO', 'Y', 'R', '7710'],
    ['4868719033482561', 'NO', 'Y', 'U', '7700'],
  ])('%s ends with %s %s %s at once', async (number, liability, enrolment, status, code) => {
    for (const method of ['SCA_WHEN_REQUIRED', 'SCA_ALWAYS']) {
      const answer = await shop.create('frictionless', order(withSca(method, { number })));
      expect(answer.json).toMatchObject({
        status: 'COMPLETED',
        payment_source: {
          card: {
            authentication_result: {
              liability_shift: liability,
              three_d_secure: { enrollment_status: enrolment, authentication_status: status },
            },
          },
        },
      });
      expect(captured(answer)).toMatchObject({
        status: code === '0000' ? 'COMPLETED' : 'DECLINED',
        processor_response: { response_code: code },
      });
    }
  });

  test('of a card that is not enrolled is approved, unless it is demanded', async () => {
    const number = '4868719488651967';
    const required = await shop.create('unenrolled', order(withSca('SCA_WHEN_REQUIRED', { number })));
    expect(captured(required).status).toBe('COMPLETED');
    expect(required.json.payment_source.card.authentication_result).toEqual({
      liability_shift: 'NO',
      three_d_secure: { enrollment_status: 'U' },
    });
    const always = await shop.create('unenrolled', order(withSca('SCA_ALWAYS', { number })));
    expect(captured(always)).toMatchObject({
      status: 'DECLINED',
      processor_response: { response_code: '7700' },
    });
  });
});

describe('a challenge', () => {
  const challenge = async (account: string, number: string, change = {}) => {
    const answer = await shop.create(account, order(withSca('SCA_WHEN_REQUIRED', { number }), change));
    expect(answer.json.status).toBe('PAYER_ACTION_REQUIRED');
    expect(payerAction(answer)).toMatch(/\/sandbox\/processor-b\/challenge\/[A-Z0-9]{17}$/);
    return String(answer.json.id);
  };

  test.each([
    ['4868719166101368', 'approved', 'POSSIBLE', 'Y', '0000'],
    ['4868719166101368', 'failed', 'NO', 'N', '7710'],
    ['4868719181895556', 'approved', 'NO', 'N', '7710'],
    ['4868719181895556', 'abandoned', 'NO', 'N', '7710'],
    ['4868719557718580', 'approved', 'NO', 'U', '7700'],
  ] as const)('%s, %s: %s %s', async (number, outcome, liability, status, code) => {
    const id = await challenge('challenges', number);
    const resolved = await resolveOrder(client.deps, id, outcome);
    expect(resolved?.returnUrl).toContain(`kept=1&liability_shift=${liability}`);
    expect(resolved?.returnUrl.includes('error=')).toBe(code !== '0000');
    const read = await client.get('challenges', `${ordersPath}/${id}`);
    expect(read.json).toMatchObject({
      status: 'APPROVED',
      payment_source: {
        card: {
          authentication_result: {
            liability_shift: liability,
            three_d_secure: { enrollment_status: 'Y', authentication_status: status },
          },
        },
      },
    });
    expect(captured(await shop.capture('challenges', id))).toMatchObject({
      status: code === '0000' ? 'COMPLETED' : 'DECLINED',
      processor_response: { response_code: code },
    });
  });

  test('that the buyer leaves stays open, and says so', async () => {
    const id = await challenge('left', '4868719166101368');
    expect(await resolveOrder(client.deps, id, 'abandoned')).toEqual({
      returnUrl: 'https://till.example/checkout/return/token?cancel=1',
    });
    expect((await client.get('left', `${ordersPath}/${id}`)).json).toMatchObject({
      status: 'PAYER_ACTION_REQUIRED',
      payment_source: {
        card: {
          authentication_result: { liability_shift: 'NO', three_d_secure: { enrollment_status: 'Y' } },
        },
      },
    });
    expect(await shop.capture('left', id)).toMatchObject(issue('ORDER_NOT_APPROVED'));
  });

  test('that never comes back is answered by nobody', async () => {
    const id = await challenge('never', '4868719494697210');
    expect(await resolveOrder(client.deps, id, 'approved')).toBeNull();
    expect(await shop.capture('never', id)).toMatchObject(issue('ORDER_NOT_APPROVED'));
  });

  test('is met by an ordinary card where it is demanded', async () => {
    const answer = await shop.create('demanded', order(withSca('SCA_ALWAYS')));
    expect(answer.json.status).toBe('PAYER_ACTION_REQUIRED');
    await resolveOrder(client.deps, answer.json.id, 'approved');
    expect(captured(await shop.capture('demanded', answer.json.id)).status).toBe('COMPLETED');
  });

  test.each([
    ['SIM-3DS-PASS', 'liability_shift=POSSIBLE'],
    ['SIM-3DS-FAIL', 'error=authentication_failed'],
    ['SIM-3DS-CANCEL', 'cancel=1'],
  ])('%s is answered a second later', async (description, expected) => {
    const own = createTestClient(db.pool);
    const source = withSca('SCA_WHEN_REQUIRED', { number: '4868719166101368' });
    const { json } = await own.post('virtual', ordersPath, order(source, { description }), description);
    expect(json.status).toBe('PAYER_ACTION_REQUIRED');
    await untilWaiting(own, 1);
    expect(own.waits[0]?.ms).toBe(1000);
    own.waits[0]?.release();
    await expect.poll(() => own.visited).toHaveLength(1);
    expect(own.visited[0]).toContain(expected);
  });

  test('card number and security code stand in no table', async () => {
    const secrets = { number: '5555555555554444', security_code: '918' };
    const spelt = { ...secrets, name: '5555 5555 5555 4444' };
    const approved = order(cardSource(spelt));
    await shop.create('secrets', approved);
    await shop.create('secrets', order(withSca('SCA_ALWAYS', spelt), { description: '5555-5555-5555-4444' }));
    const { json } = await shop.create('secrets', order(undefined));
    const confirm = `${ordersPath}/${json.id}/confirm-payment-source`;
    await client.post('secrets', confirm, { payment_source: cardSource(spelt) }, 'confirmed');
    const dump = await db.dump();
    expect(dump).toContain('555555******4444');
    expect(dump).not.toMatch(/5555[ -]?5555[ -]?5555[ -]?4444/);
    expect(dump).not.toMatch(/\b918\b/);
    expect(dump).not.toContain(testPan);
    expect(await readReceived(db.pool, 'secrets', referenceOf(approved))).toMatchObject([
      { intent: 'CAPTURE', payment_source: { card: { bin: '555555', last_digits: '4444' } } },
    ]);
  });
});
