import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Claim } from '../idempotency/claims.ts';
import { IdempotencyStore } from '../idempotency/store.ts';
import { createPayment } from './operations/create-payment.ts';
import { cardPayment, chargedAs, createMoneyKit, type MoneyKit, noAnswer, Shop } from './test-kit.ts';

let kit: MoneyKit;
let shop: Shop;
/** The claim of a second request with the key. */
let claim: Claim;

const request = { scope: 'POST /pay', key: 'k', body: cardPayment };
const client = { ip: '192.0.2.1', userAgent: null, accept: null };

beforeAll(async () => {
  kit = await createMoneyKit();
});
afterAll(() => kit.drop());

beforeEach(async () => {
  shop = await Shop.open(kit);
  const other = await kit.idempotency.find(shop.context(), { ...request, key: 'other' });
  if (other.kind !== 'new') throw new Error('the key is in use');
  claim = { ...other.claim, key: 'k' };
});

async function payments(): Promise<number> {
  const [row] = await kit.db.query<{ n: number }>({
    text: `select ((select count(*) from payments p where p.tenant = t.tenant)
             + (select count(*) from operations o where o.tenant = t.tenant and o.draft is not null))::int as n
           from tenants t where t.account_id = $1 and not t.livemode`,
    values: [shop.context().accountId],
    scope: 'everybody',
  });
  return row?.n ?? 0;
}

const passADay = () => kit.clock.move(25 * 3_600_000);
const begin = () =>
  createPayment(kit.payments, shop.context(), { request: cardPayment, client, claim, resumes: null });

describe('an idempotency key of a charge in doubt stays taken after 24 hours', () => {
  beforeEach(async () => {
    kit.processor.answers = { charge: async () => noAnswer };
    expect(await shop.pay('k')).toMatchObject({ status: 503 });
    passADay();
    kit.processor.answers = { charge: async () => chargedAs('PSP2') };
  });

  it('a retry begins no second payment', async () => {
    expect(await shop.pay('k')).toMatchObject({ status: 503 });
    expect(await payments()).toBe(1);
  });

  it('read of the record: the request is to be resumed', async () => {
    const { id } = await shop.paymentOf('k');
    expect(await kit.idempotency.find(shop.context(), request)).toMatchObject({
      kind: 'resume',
      resourceId: id,
    });
  });

  it('insert of a new claim: taken', async () => {
    expect(await begin()).toEqual({ keyTaken: true });
    expect(await payments()).toBe(1);
  });

  it('removal of expired records: kept', async () => {
    await new IdempotencyStore(kit.db).removeExpired(kit.clock.now());
    expect(await shop.pay('k')).toMatchObject({ status: 503 });
    expect(await payments()).toBe(1);
  });
});

describe('an expired idempotency key of a settled charge', () => {
  beforeEach(async () => {
    kit.processor.answers = { charge: async () => chargedAs('PSP1') };
    expect(await shop.pay('k')).toMatchObject({ status: 201 });
    passADay();
  });

  it('read of the record: new', async () => {
    expect(await kit.idempotency.find(shop.context(), request)).toMatchObject({ kind: 'new' });
  });

  it('insert of a new claim: free', async () => {
    expect(await begin()).toMatchObject({ status: 201 });
    expect(await payments()).toBe(2);
  });
});
