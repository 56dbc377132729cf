import { readLedger, sandboxSchema, type WireRequest } from '@till/sandbox';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestDatabase, openAccount, stored } from '../processor-notifications/test-kit.ts';
import type { Database } from '../store/database.ts';
import { findTenant } from '../vault/test-database.ts';
import { sandboxDatabase } from './database.ts';
import { settleSandbox } from './feature.ts';
import { aboutPayment, charge, createServer } from './test-server.ts';

let db: Database;
let drop: () => Promise<void>;

beforeAll(async () => {
  ({ db, drop } = await createTestDatabase());
  await db.query({ text: sandboxSchema, scope: 'everybody' });
});
afterAll(() => drop());

describe.each(['processor_a', 'processor_b'] as const)('the simulator of %s', (processor) => {
  it('notifies of a charge a second later; the adapter verifies it and names its payment', async () => {
    const server = createServer(db);
    const accountId = await openAccount(db, processor);
    const account = { accountId, livemode: false, processor };
    const { id: paymentId } = await charge(server, account);
    await server.settle(accountId);
    expect(await stored(db, accountId)).toEqual([]);
    server.moveTo(1_000);
    await server.settle(accountId);
    expect(server.unexpected).toEqual([]);
    expect(server.delivered.map(({ status }) => status)).toEqual([200]);
    const [{ request } = { request: undefined }] = server.delivered;
    const name = processor === 'processor_a' ? 'a' : 'b';
    expect(request?.url).toBe(`http://till.example/processors/${name}/notifications/${accountId}`);
    const { tenant } = await findTenant(db, accountId);
    expect(await stored(db, accountId)).toMatchObject([{ tenant, processor, state: 'applied' }]);
    const effects = aboutPayment(server.effects, paymentId);
    expect(effects).toMatchObject([{ accountId, livemode: false, effect: { paymentId } }]);
  });

  it('is not believed where the signature, the account or the content is another', async () => {
    const server = createServer(db, { liveSimulation: true });
    const accountId = await openAccount(db, processor);
    const other = await openAccount(db, processor);
    await charge(server, { accountId, livemode: false, processor });
    server.moveTo(1_000);
    await server.settle(accountId);
    const [sent] = server.delivered;
    if (sent === undefined) throw new Error('nothing was sent');
    const { request } = sent;
    const text = request.body.toString();
    const forgeries: WireRequest[] = [
      { ...request, url: request.url.replace(accountId, other) },
      {
        ...request,
        body: Buffer.from(
          text.replace(
            /(pay_[a-z0-9]{23})(.)/g,
            (_all, start, last) => `${start}${last === '0' ? '1' : '0'}`,
          ),
        ),
      },
      { ...request, body: Buffer.from(text.replace(/"value":("?)49/, '"value":$159')) },
      { ...request, headers: { 'content-type': 'application/json' } },
      { ...request, body: Buffer.from('{}') },
      { ...request, body: Buffer.alloc(0) },
    ];
    for (const forged of forgeries) {
      expect((await server.inject(forged)).status, forged.body.toString()).toBe(401);
    }
    expect(await stored(db, accountId)).toHaveLength(1);
    expect(await stored(db, accountId, true)).toEqual([]);
    expect(await stored(db, other)).toEqual([]);
    expect((await server.inject(request)).status).toBe(200);
    expect(await stored(db, accountId)).toHaveLength(1);
  });

  it('keeps live mode apart: its own merchant account, ledger, secrets and real time', async () => {
    const server = createServer(db, { liveSimulation: true });
    // The account's sandbox clock is an hour ahead.
    const accountId = await openAccount(db, processor, 3_600_000);
    const { id: test } = await charge(server, { accountId, livemode: false, processor });
    const { id: live } = await charge(server, { accountId, livemode: true, processor });
    server.moveTo(1_000);
    await server.settle();
    expect(server.unexpected).toEqual([]);
    expect(aboutPayment(server.effects, test)).toMatchObject([{ livemode: false }]);
    expect(aboutPayment(server.effects, live)).toMatchObject([{ livemode: true }]);
    expect(await stored(db, accountId, true)).toMatchObject([{ state: 'applied' }]);
    const ledgerOf = async (merchantAccount: string) =>
      (await readLedger(sandboxDatabase(db), merchantAccount)).charges.map(({ reference }) => reference);
    expect(await ledgerOf(accountId)).toEqual([test]);
    expect(await ledgerOf(`${accountId}_live`)).toEqual([live]);
  });

  it('may send twice, or with a wrong signature, by the directives of section X6', async () => {
    const server = createServer(db);
    const accountId = await openAccount(db, processor);
    const account = { accountId, livemode: false, processor };
    const { id: twice } = await charge(server, account, 'SIM-WEBHOOK-DUP');
    server.moveTo(1_000);
    await server.settle(accountId);
    expect(server.delivered.map(({ status }) => status)).toEqual([200, 200]);
    expect(aboutPayment(server.effects, twice)).toHaveLength(1);
    const { id: forged } = await charge(server, account, 'SIM-WEBHOOK-BADSIG');
    server.moveTo(2_000);
    await server.settle(accountId);
    expect(server.delivered.at(-1)?.status).toBe(401);
    expect(aboutPayment(server.effects, forged)).toEqual([]);
    expect(await stored(db, accountId)).toHaveLength(1);
  });

  it('notifies before it answers where SIM-WEBHOOK-FIRST says so', async () => {
    const server = createServer(db);
    const accountId = await openAccount(db, processor);
    await charge(server, { accountId, livemode: false, processor }, 'SIM-WEBHOOK-FIRST');
    expect(server.delivered.map(({ status }) => status)).toEqual([200]);
    expect(await stored(db, accountId)).toMatchObject([{ state: 'received' }]);
  });
});

describe('settling', () => {
  it('follows the account’s clock as soon as another process has moved it', async () => {
    const server = createServer(db);
    const accountId = await openAccount(db, 'processor_a');
    const { id: paymentId } = await charge(server, { accountId, livemode: false, processor: 'processor_a' });
    await server.settle(accountId);
    expect(server.delivered).toEqual([]);
    await db.query({
      text: 'update accounts set clock_offset_ms = 1000 where account_id = $1',
      values: [accountId],
      scope: { accountId },
    });
    await server.settle(accountId);
    expect(aboutPayment(server.effects, paymentId)).toHaveLength(1);
  });

  it('ends once nothing moves, and after 50 rounds in any case', async () => {
    const rounds: string[] = [];
    await settleSandbox({
      sendDue: async () => (rounds.push('send') > 4 ? 0 : 1),
      apply: async () => (rounds.push('apply') > 4 ? 0 : 1),
    });
    expect(rounds).toEqual(['send', 'apply', 'send', 'apply', 'send', 'apply']);
    let endless = 0;
    await settleSandbox({
      sendDue: async () => 0,
      apply: async () => {
        endless += 1;
        return 1;
      },
    });
    expect(endless).toBe(50);
  });
});
