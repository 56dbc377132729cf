import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { SandboxDependencies } from '../lib/dependencies.ts';
import type { WireRequest, WireResponse } from '../lib/wire.ts';
import { createTestDatabase, type TestDatabase } from '../test-database.ts';
import {
  createNotificationSender,
  type NotificationSigner,
  type PlannedNotification,
  planNotifications,
} from './outbox.ts';

const start = new Date('2026-11-20T12:00:00Z');
const after = (ms: number) => new Date(start.getTime() + ms);

let database: TestDatabase;
let now: Date;
let sent: string[];
let answer: (request: WireRequest) => Promise<WireResponse>;

beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());
beforeEach(async () => {
  await database.pool.query('truncate sandbox.notifications');
  now = start;
  sent = [];
  answer = async () => answered(200);
});

const answered = (status: number): WireResponse => ({ status, headers: {}, body: Buffer.alloc(0) });

/** The dependencies of one process. */
const deps = (): SandboxDependencies => ({
  database: { query: (text, values = []) => database.pool.query(text, [...values]) },
  now: () => now,
  randomBytes: (length) => new Uint8Array(length),
  delay: async () => {},
  publicUrl: () => 'http://till.example',
  notifications: {
    url: (processor, account) => `http://till.example/${processor}/${account}`,
    secrets: () => ({ hmacKey: '', user: '', password: '', webhookId: '' }),
    send: async (request) => {
      sent.push(`${request.url} ${request.body.toString()}`);
      return answer(request);
    },
  },
});

const sign: NotificationSigner = ({ id, body, flaw }, { url }) => ({
  method: 'POST',
  url,
  headers: {},
  body: Buffer.from(`${id} ${JSON.stringify(body)}${flaw === 'bad_signature' ? ' forged' : ''}`),
});

const sender = () => createNotificationSender(deps(), { processor_a: sign, processor_b: sign });

function planned(id: string, changes: Partial<PlannedNotification> = {}): PlannedNotification {
  return { processor: 'processor_a', merchantAccount: 'acct_1', id, dueAt: start, body: {}, ...changes };
}

const idsSent = () => sent.map((line) => line.split(' ')[1]);

describe('planned notifications', () => {
  it('are sent once they are due, oldest first, to the address of their account', async () => {
    await planNotifications(database.pool, [
      planned('third', { dueAt: after(1000) }),
      planned('second', { dueAt: after(500), body: { n: 2 } }),
      planned('first', { dueAt: after(250) }),
    ]);
    expect(await sender().sendDue()).toBe(0);
    now = after(999);
    expect(await sender().sendDue()).toBe(2);
    now = after(1000);
    expect(await sender().sendDue()).toBe(1);
    expect(sent).toEqual([
      'http://till.example/processor_a/acct_1 first {}',
      'http://till.example/processor_a/acct_1 second {"n":2}',
      'http://till.example/processor_a/acct_1 third {}',
    ]);
    expect(await sender().sendDue()).toBe(0);
  });

  it('are kept once per id, also where they are planned again after they were sent', async () => {
    await planNotifications(database.pool, [planned('one'), planned('one')]);
    await sender().sendDue();
    await planNotifications(database.pool, [planned('one')]);
    await sender().sendDue();
    expect(idsSent()).toEqual(['one']);
  });

  it('are sent one account at a time where one is named', async () => {
    await planNotifications(database.pool, [
      planned('mine'),
      planned('other', { merchantAccount: 'acct_2' }),
    ]);
    expect(await sender().sendDue('acct_1')).toBe(1);
    expect(idsSent()).toEqual(['mine']);
    expect(await sender().sendDue()).toBe(1);
    expect(idsSent()).toEqual(['mine', 'other']);
  });

  it('of many are all sent by one call', async () => {
    const many = Array.from({ length: 130 }, (_, index) =>
      planned(`n${index}`, { merchantAccount: `acct_${index % 7}` }),
    );
    await planNotifications(database.pool, many);
    expect(await sender().sendDue()).toBe(130);
    expect(new Set(idsSent()).size).toBe(130);
  });

  it('of one account go out after the first batch of accounts with a long backlog, not after all of it', async () => {
    const busy = Array.from({ length: 400 }, (_, n) =>
      planned(`n${n}`, { merchantAccount: `acct_${n % 4}` }),
    );
    await planNotifications(database.pool, [
      ...busy,
      planned('other', { merchantAccount: 'acct_5', dueAt: after(1) }),
    ]);
    now = after(10);
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    // The busy accounts' later batches do not complete until the other account's notification was sent.
    answer = async ({ url }) => {
      if (url.endsWith('acct_5')) release();
      else if (sent.filter((line) => line.startsWith(`${url} `)).length > 50) await released;
      return answered(200);
    };
    expect(await sender().sendDue()).toBe(401);
    expect(new Set(idsSent()).size).toBe(401);
  });

  it('of a processor without a signer stay where they are', async () => {
    await planNotifications(database.pool, [planned('a'), planned('b', { processor: 'processor_b' })]);
    expect(await createNotificationSender(deps(), { processor_b: sign }).sendDue()).toBe(1);
    expect(idsSent()).toEqual(['b']);
    expect(await sender().sendDue()).toBe(1);
    expect(idsSent()).toEqual(['b', 'a']);
  });
});

describe('a notification that is not accepted', () => {
  it.each([
    ['refused', async () => answered(503)],
    ['not answered', () => Promise.reject(new Error('nobody listens'))],
  ])(
    'because it is %s is sent again a little later, and does not hold up the others',
    async (_why, fault) => {
      answer = async (request) => (request.body.toString().startsWith('bad') ? fault() : answered(200));
      await planNotifications(database.pool, [planned('bad'), planned('good', { dueAt: after(1) })]);
      now = after(10);
      expect(await sender().sendDue()).toBe(1);
      expect(idsSent()).toEqual(['bad', 'good']);
      expect(await sender().sendDue()).toBe(0);
      answer = async () => answered(200);
      now = after(2_010);
      expect(await sender().sendDue()).toBe(1);
      expect(idsSent()).toEqual(['bad', 'good', 'bad']);
    },
  );

  it('again and again is sent less and less often, and never given up', async () => {
    answer = async () => answered(503);
    await planNotifications(database.pool, [planned('one')]);
    const gaps: number[] = [];
    for (let last = 0; gaps.length < 16; ) {
      await sender().sendDue();
      const { rows } = await database.pool.query<{ due: Date }>(
        'select due_at as due from sandbox.notifications',
      );
      const due = (rows[0]?.due.getTime() ?? 0) - start.getTime();
      gaps.push((due - last) / 1000);
      last = due;
      now = after(due);
    }
    expect(gaps).toEqual([2, 2, 2, 2, 2, 4, 8, 16, 32, 64, 128, 256, 512, 600, 600, 600]);
  });

  it('because its sender ended in the middle is sent again by another', async () => {
    await planNotifications(database.pool, [planned('one')]);
    let goOn = () => {};
    let reached = () => {};
    const sending = new Promise<void>((resolve) => {
      reached = resolve;
    });
    answer = async () => {
      reached();
      await new Promise<void>((resolve) => {
        goOn = resolve;
      });
      throw new Error('the process ends');
    };
    const first = sender().sendDue();
    await sending;
    expect(await sender().sendDue()).toBe(0);
    now = after(30_000);
    answer = async () => answered(200);
    expect(await sender().sendDue()).toBe(1);
    goOn();
    await first;
    expect(idsSent()).toEqual(['one', 'one']);
  });
});

describe('a flaw', () => {
  it('twice sends the same request twice', async () => {
    await planNotifications(database.pool, [planned('one', { flaw: 'twice' })]);
    expect(await sender().sendDue()).toBe(1);
    expect(sent).toEqual(Array(2).fill('http://till.example/processor_a/acct_1 one {}'));
    expect(await sender().sendDue()).toBe(0);
  });

  it('of the signature is sent once, whatever becomes of it', async () => {
    answer = async () => answered(401);
    await planNotifications(database.pool, [planned('one', { flaw: 'bad_signature' })]);
    expect(await sender().sendDue()).toBe(1);
    now = after(60_000);
    expect(await sender().sendDue()).toBe(0);
    expect(sent).toEqual(['http://till.example/processor_a/acct_1 one {} forged']);
  });
});

describe('calls at the same time', () => {
  it('send everything once, and each returns only after what the others took is sent', async () => {
    const many = Array.from({ length: 20 }, (_, index) => planned(`n${index}`));
    await planNotifications(database.pool, many);
    const shared = deps();
    let delivered = 0;
    answer = async () => {
      await database.pool.query('select 1');
      delivered += 1;
      return answered(200);
    };
    const seen = await Promise.all(
      Array.from({ length: 5 }, async () => {
        await createNotificationSender(shared, { processor_a: sign }).sendDue('acct_1');
        return delivered;
      }),
    );
    expect(seen).toEqual(Array(5).fill(20));
    expect(idsSent().toSorted()).toEqual(many.map(({ id }) => id).toSorted());
  });

  it.each(['of its own', 'about all accounts'])(
    'send what is planned while the backlog of one account goes out, by a call %s, before its end',
    async (call) => {
      const backlog = Array.from({ length: 300 }, (_, index) => planned(`n${index}`));
      await planNotifications(database.pool, backlog);
      const shared = deps();
      const send = (account?: string) =>
        createNotificationSender(shared, { processor_a: sign }).sendDue(account);
      answer = async () => {
        if (sent.length === 60) {
          await planNotifications(database.pool, [planned('other', { merchantAccount: 'acct_2' })]);
        }
        return answered(200);
      };
      await Promise.all([send(), ...(call === 'of its own' ? [send('acct_1')] : [])]);
      expect(idsSent().indexOf('other')).toBeLessThan(250);
      expect(new Set(idsSent()).size).toBe(301);
    },
  );

  it('of two processes send everything once', async () => {
    const many = Array.from({ length: 120 }, (_, index) => planned(`n${index}`));
    await planNotifications(database.pool, many);
    const accepted = await Promise.all([sender().sendDue(), sender().sendDue()]);
    expect(accepted.reduce((sum, count) => sum + count, 0)).toBe(120);
    expect(new Set(idsSent()).size).toBe(120);
    expect(sent).toHaveLength(120);
  });
});

describe('what is due soon', () => {
  it('is known without sending it, in the account’s own time', async () => {
    await planNotifications(database.pool, [planned('one', { dueAt: after(5_000) })]);
    expect(await sender().isDueWithin(4_999)).toBe(false);
    expect(await sender().isDueWithin(5_000)).toBe(true);
    now = after(3_000);
    expect(await sender().isDueWithin(2_000)).toBe(true);
    now = after(5_000);
    await sender().sendDue();
    expect(await sender().isDueWithin(60_000)).toBe(false);
    expect(idsSent()).toEqual(['one']);
  });
});
