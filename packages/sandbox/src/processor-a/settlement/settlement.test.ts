import { afterAll, beforeAll, expect, it } from 'vitest';
import { settle } from '../../settle.ts';
import { createTestDatabase, type TestDatabase } from '../../test-database.ts';
import { createTestClient, payment, type TestClient } from '../test-client.ts';

let db: TestDatabase;
let client: TestClient;
beforeAll(async () => {
  db = await createTestDatabase();
  client = createTestClient(db.pool);
});
afterAll(() => db.drop());

/** Returns types and gross amounts of a report's rows, except fees and the payout to the bank. */
async function paidOut(account: string): Promise<string[] | null> {
  const report = await settle(client.deps, 'processor_a', account);
  if (report === null) return null;
  const [titles = '', ...lines] = report.content.trim().split('\r\n');
  const names = titles.split(',');
  return lines
    .map((line) => line.split(','))
    .map((fields) => (name: string) => fields[names.indexOf(name)] ?? '')
    .filter((of) => of('Psp Reference') !== '')
    .map((of) => `${of('Type')} ${of('Gross Debit (GC)')}/${of('Gross Credit (GC)')}`);
}

const reverse = (account: string, pspReference: string) =>
  client.post(`/payments/${pspReference}/reversals`, { merchantAccount: account, reference: 'ours' });

it('a payment that is reversed after it was paid out goes back with the next payout, once', async () => {
  const account = 'reversed-later';
  const { json } = await client.pay(payment(account, {}, {}));
  await client.pass(account, 1);
  expect(await paidOut(account)).toEqual([expect.stringMatching(/^Settled \/\d/)]);
  await reverse(account, String(json.pspReference));
  await client.pass(account, 5);
  expect(await paidOut(account)).toEqual([expect.stringMatching(/^Refunded \d[\d.]*\/$/)]);
  expect(await paidOut(account)).toBeNull();
});

it('a payment that is reversed before it is paid out is in no payout', async () => {
  const account = 'reversed-before';
  const { json } = await client.pay(payment(account, {}, {}));
  await reverse(account, String(json.pspReference));
  await client.pass(account, 5);
  expect(await paidOut(account)).toBeNull();
});

it('a payment whose capture fails is not paid out', async () => {
  const account = 'capture-failed';
  await client.pay(payment(account, { holderName: 'SIM-CAPTURE-FAILED' }, {}));
  await client.pass(account, 10);
  expect(await paidOut(account)).toBeNull();
});
