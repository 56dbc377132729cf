import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CleanUp } from '../support/clean-up.ts';
import { migratedDatabase, queryDatabase } from '../support/fresh-database.ts';
import { freshEmail, Merchant, type Reply } from '../support/merchant.ts';
import {
  commandJson,
  type RunningServer,
  runCommand,
  runProcess,
  startServer,
  temporaryFolder,
} from '../support/server.ts';

const cleanUp = new CleanUp();
const newKey = () => randomBytes(32).toString('base64');
const oldKey = newKey();
let url: string;
let settings: Record<string, string>;
let server: RunningServer;
let shop: Merchant;

beforeAll(async () => {
  const folder = await temporaryFolder();
  cleanUp.add(folder.remove);
  url = await migratedDatabase(cleanUp);
  settings = {
    DATABASE_URL: url,
    TILL_DATA_DIR: folder.path,
    TILL_RATE_LIMIT_RPS: '0',
    TILL_MASTER_KEY: oldKey,
  };
  server = await start();
  shop = await Merchant.openAt(server, 'processor_b');
});
afterAll(cleanUp.run);

async function start(changes: Record<string, string> = {}): Promise<RunningServer> {
  const started = await startServer({ ...settings, ...changes });
  cleanUp.add(() => started.stop('SIGKILL'));
  return started;
}

interface Saved {
  readonly customer: string;
  readonly method: string;
}

async function save(merchant: Merchant, idempotencyKey: string = randomUUID()): Promise<Saved> {
  const body = { customer: { email: freshEmail() }, save_payment_method: true };
  const reply = await merchant.pay(body, { idempotencyKey });
  expect(reply.status).toBe(201);
  return { customer: reply.body.customer, method: reply.body.payment_method_id };
}

const rebill = (merchant: Merchant, { customer, method }: Saved): Promise<Reply> =>
  merchant.post('/api/v1/payments', {
    amount: 700,
    currency: 'EUR',
    customer,
    stored_payment_method: method,
    merchant_initiated: true,
  });

async function expectChargeable(merchant: Merchant, saved: readonly Saved[]): Promise<void> {
  for (const one of saved) {
    const reply = await rebill(merchant, one);
    expect({ status: reply.status, payment: reply.body.status }).toEqual({
      status: 201,
      payment: 'succeeded',
    });
  }
}

const keyVersions = async (account: string) =>
  queryDatabase<{ key_version: number; count: number }>(
    url,
    `select key_version, count(*)::int as count from payment_methods
     where tenant in (select tenant from tenants where account_id = $1) group by 1 order by 1`,
    [account],
  );

describe('a server with another master key', () => {
  it('refuses to start and says what to do', async () => {
    const result = await runProcess(
      { ...settings, PORT: '0', TILL_METRICS_ADDR: 'off', TILL_MASTER_KEY: newKey() },
      ['serve'],
    );
    expect(result.exitCode).toBe(1);
    expect(result.err).toMatch(/TILL_MASTER_KEY.*backup/);
    expect(result.err).not.toMatch(/^\s+at /m);
    expect(result.out).not.toContain('ready on');
  });

  it('that one account key is sealed under refuses to start with the same advice', async () => {
    await save(shop);
    const change = (expression: string) =>
      queryDatabase(
        url,
        `update account_keys set master_key_id = ${expression} where account_id = $1 returning 1 as one`,
        [shop.id],
      );
    expect((await change(`'x' || master_key_id`)).length).toBeGreaterThan(0);
    try {
      const result = await runProcess({ ...settings, PORT: '0', TILL_METRICS_ADDR: 'off' }, ['serve']);
      expect(result.exitCode).toBe(1);
      expect(result.err).toMatch(/TILL_MASTER_KEY.*backup/);
      expect(result.err).not.toContain('malformed array literal');
    } finally {
      await change('substr(master_key_id, 2)');
    }
  });

  it('makes commands fail as well, without creating a key file', async () => {
    for (const command of ['rotate', 'rewrap']) {
      const wrong = await runCommand({ ...settings, TILL_MASTER_KEY: newKey() }, [
        'vault',
        command,
        '--json',
      ]);
      expect(wrong.exitCode).toBe(1);
      expect(JSON.parse(wrong.out).error.code).toBe('wrong_master_key');
      const none = await runCommand({ ...settings, TILL_MASTER_KEY: '' }, ['vault', command, '--json']);
      expect(JSON.parse(none.out).error.code).toBe('no_master_key');
    }
    const unknown = ['vault', 'rotate', '--account', 'acct_000000000000000000000000', '--json'];
    expect(JSON.parse((await runCommand(settings, unknown)).out).error.code).toBe('account_not_found');
  });
});

describe('till vault rotate', () => {
  it('reseals everything under load, and every method stays chargeable', async () => {
    const before = (await keyVersions(shop.id)).reduce((sum, { count }) => sum + count, 0);
    const saved = await Promise.all(Array.from({ length: 10 }, () => save(shop)));
    const rotating = commandJson(settings, ['vault', 'rotate', '--account', shop.id]);
    let isOver = false;
    const whenOver = rotating.finally(() => {
      isOver = true;
    });
    while (!isOver) saved.push(await save(shop), await save(shop));
    const result = await whenOver;
    expect(result).toEqual({ accounts: 1, rows: expect.any(Number) });
    expect(await keyVersions(shop.id)).toEqual([{ key_version: 2, count: before + saved.length }]);
    await expectChargeable(shop, saved.slice(0, 12));
    await expectChargeable(shop, saved.slice(-4));
  });

  it('of every account keeps a card that is saved again one method', async () => {
    const merchant = await Merchant.openAt(server, 'processor_a');
    const { customer, method } = await save(merchant);
    expect(await commandJson(settings, ['vault', 'rotate'])).toMatchObject({ accounts: 2 });
    expect((await keyVersions(merchant.id)).map((row) => row.key_version)).toEqual([2]);
    const again = await merchant.pay({ customer, save_payment_method: true });
    expect(again.body.payment_method_id).toBe(method);
    await expectChargeable(merchant, [{ customer, method }]);
  });
});

describe('a sealed token that was moved to another row', () => {
  it('is refused: neither row can be charged until it is moved back', async () => {
    const [one, two] = [await save(shop), await save(shop)];
    const swap = () =>
      queryDatabase(
        url,
        `update payment_methods m set token = o.token from payment_methods o
         where m.tenant = o.tenant and m.tenant in (select tenant from tenants where account_id = $1) and m.id = any ($2) and o.id = any ($2) and o.id <> m.id`,
        [shop.id, [one.method, two.method]],
      );
    await swap();
    const before = (await shop.ledger()).charges.length;
    for (const saved of [one, two]) expect((await rebill(shop, saved)).status).toBe(500);
    expect((await shop.ledger()).charges).toHaveLength(before);
    await swap();
    await expectChargeable(shop, [one, two]);
  });
});

describe('changing the master key', () => {
  it('keeps saved methods and idempotent retries, and waits for servers that have one key alone', async () => {
    const idempotencyKey = randomUUID();
    const request = { customer: { email: freshEmail() }, save_payment_method: true };
    const first = await shop.pay(request, { idempotencyKey });
    const saved = { customer: first.body.customer, method: first.body.payment_method_id };
    const other = await Merchant.openAt(server, 'processor_a');
    const current = newKey();
    const both = { TILL_MASTER_KEY: current, TILL_MASTER_KEY_PREVIOUS: oldKey };
    const early = await runCommand({ ...settings, ...both }, ['vault', 'rewrap', '--json']);
    expect(early.exitCode).toBe(1);
    expect(JSON.parse(early.out).error).toEqual({
      code: 'server_without_key',
      message: expect.stringMatching(/till serve, process \d+.*TILL_MASTER_KEY_PREVIOUS/),
    });
    await expectChargeable(shop, [saved, await save(shop)]);
    await server.stop();

    const changing = await start(both);
    const [here, there] = [shop.at(changing), other.at(changing)];
    const retried = await here.pay(request, { idempotencyKey });
    expect(retried.text).toBe(first.text);
    expect(retried.headers.get('idempotent-replayed')).toBe('true');
    const meanwhile = await save(there);
    await expectChargeable(here, [saved]);

    expect(await commandJson({ ...settings, ...both }, ['vault', 'rewrap'])).toEqual({
      keys: expect.any(Number),
    });
    await expectChargeable(here, [saved, await save(here)]);
    await expectChargeable(there, [meanwhile, await save(there)]);
    await changing.stop();

    const old = await runProcess({ ...settings, PORT: '0', TILL_METRICS_ADDR: 'off' }, ['serve']);
    expect(old.exitCode).toBe(1);
    const after = await start({ TILL_MASTER_KEY: current });
    await expectChargeable(shop.at(after), [saved]);
    await expectChargeable(other.at(after), [meanwhile]);
  });
});
