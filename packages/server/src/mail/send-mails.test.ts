import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { multiply, never } from '../jobs/test-kit.ts';
import { newId } from '../lib/ids.ts';
import { until } from '../processor-notifications/test-kit.ts';
import type { Database } from '../store/database.ts';
import { createTestDatabase, TestClock } from '../vault/test-database.ts';
import { type MailDependencies, queueMail } from './queue-mail.ts';
import { outgoingMails, sendMails } from './send-mails.ts';
import { listMails } from './store.ts';
import { startSmtpServer } from './test-smtp.ts';
import { type SendMail, smtpTransport } from './transport.ts';

const minuteMs = 60_000;
let database: Awaited<ReturnType<typeof createTestDatabase>>;
let smtp: Awaited<ReturnType<typeof startSmtpServer>>;
let db: Database;
let clock: TestClock;
let send: SendMail;
const incidents: string[] = [];

beforeAll(async () => {
  [database, smtp] = await Promise.all([createTestDatabase(), startSmtpServer()]);
  db = database.db;
  send = smtpTransport(smtp.url, { name: 'Till', address: 'till@pay.example' });
});

afterAll(async () => {
  await Promise.all([database.drop(), smtp.stop()]);
});

beforeEach(async () => {
  // Delays end only when they are aborted: a deadline must not pass while a real server responds.
  clock = new (class extends TestClock {
    override readonly delay = (_ms: number, signal?: AbortSignal): Promise<void> =>
      new Promise((resolve) => signal?.addEventListener('abort', () => resolve(), { once: true }));
  })();
  smtp.received.length = 0;
  smtp.refuse(null);
  incidents.length = 0;
  await db.query({ text: 'delete from mails', scope: 'everybody' });
});

const deps = (): MailDependencies => ({ db, clock, randomBytes, sends: true });
const sendAll = (by: SendMail = send) =>
  sendMails({ db, clock, send: by, onIncident: (message) => incidents.push(message) });

/** Opens an account with staff who have these addresses. */
async function openAccount(...addresses: string[]): Promise<string> {
  const accountId = await database.openAccount();
  for (const address of addresses) {
    const id = newId('usr', clock.now(), randomBytes);
    const unique = `${id} ${address}`;
    await db.query({
      text: `insert into users (id, email, email_folded, password_hash, created_at) values ($1, $2, $3, '', $4)`,
      values: [id, address, unique, clock.now()],
      scope: 'everybody',
    });
    await db.query({
      text: `insert into memberships (account_id, user_id, role, created_at) values ($1, $2, 'owner', $3)`,
      values: [accountId, id, clock.now()],
      scope: { accountId },
    });
  }
  return accountId;
}

const message = { subject: 'Hello', text: 'Words\n', html: null };
const headerOf = (name: string) =>
  smtp.received.flatMap(({ headers }) => headers.filter((line) => line.toLowerCase().startsWith(`${name}:`)));

describe('sending mails', () => {
  it('one mail to each owner and admin', async () => {
    const accountId = await openAccount('jane@shop.example', 'joe@shop.example');
    expect(await queueMail(deps(), accountId, { ...message, html: '<p>Words</p>' })).toBe(2);
    expect(await sendAll()).toBe(2);
    expect(smtp.received.map(({ recipients }) => recipients).sort()).toEqual([
      ['jane@shop.example'],
      ['joe@shop.example'],
    ]);
    expect(headerOf('from')).toEqual(Array(2).fill('From: Till <till@pay.example>'));
    expect(headerOf('subject')).toEqual(Array(2).fill('Subject: Hello'));
    expect(headerOf('message-id').every((line) => /<mail_[a-z0-9]{24}@pay\.example>$/.test(line))).toBe(true);
    const rows = await listMails(db, accountId, 10);
    expect(rows.map(({ state, tries, sent_at }) => ({ state, tries, sent_at }))).toEqual(
      ['jane', 'joe'].map(() => ({ state: 'sent', tries: 1, sent_at: clock.now() })),
    );
    expect(await sendAll()).toBe(0);
  });

  it('mails stay queued without a mail server', async () => {
    const accountId = await openAccount('jane@shop.example');
    await queueMail({ ...deps(), sends: false }, accountId, message);
    expect(await sendAll()).toBe(0);
    expect(await listMails(db, accountId, 10)).toMatchObject([{ state: 'kept', tries: 0 }]);
  });

  it('no mail for an account without people', async () => {
    expect(await queueMail(deps(), await openAccount(), message)).toBe(0);
  });

  it('two processes send each mail once', async () => {
    const accountId = await openAccount(...Array.from({ length: 12 }, (_, n) => `p${n}@shop.example`));
    await queueMail(deps(), accountId, message);
    const [one, other] = await Promise.all([sendAll(), sendAll()]);
    expect(one + other).toBe(12);
    expect(smtp.received).toHaveLength(12);
  });
});

it('a mail is sent in the first poll beside 1,000 of another account whose server hangs', async () => {
  const flooding = await openAccount('slow@shop.example');
  const other = await openAccount('quick@shop.example');
  await queueMail(deps(), flooding, message);
  await multiply(db, { table: 'mails', accountId: flooding, copies: 999 });
  clock.move(1000);
  await queueMail(deps(), other, message);
  const tried: string[] = [];
  const mails = outgoingMails({
    db,
    clock,
    async send({ to_address: to }) {
      tried.push(to);
      if (to === 'slow@shop.example') await never();
    },
    onIncident: (words) => incidents.push(words),
  });
  await mails.poll();
  await until('it was sent', async () => (await listMails(db, other, 1))[0]?.state === 'sent');
  expect(tried.filter((to) => to === 'slow@shop.example')).toHaveLength(2);
});

describe('a mail that the server refuses', () => {
  it('is retried after 1 min, 5 min, 30 min, 2 h and 5 h, and then has failed', async () => {
    const accountId = await openAccount('jane@shop.example');
    await queueMail(deps(), accountId, message);
    smtp.refuse(Object.assign(new Error('mailbox full'), { responseCode: 452 }));
    expect(await sendAll()).toBe(1);
    for (const minutes of [1, 5, 30, 120, 300]) {
      clock.move(minutes * minuteMs - 1);
      expect(await sendAll()).toBe(0);
      clock.move(1);
      expect(await sendAll()).toBe(1);
    }
    const [row] = await listMails(db, accountId, 10);
    expect(row).toMatchObject({ state: 'failed', tries: 6, error: expect.stringContaining('mailbox full') });
    clock.move(1000 * minuteMs);
    expect(await sendAll()).toBe(0);
    expect(incidents).toHaveLength(6);
  });

  it('is sent by a later try', async () => {
    const accountId = await openAccount('jane@shop.example');
    await queueMail(deps(), accountId, message);
    smtp.refuse(new Error('not now'));
    await sendAll();
    smtp.refuse(null);
    clock.move(minuteMs);
    await sendAll();
    expect(await listMails(db, accountId, 10)).toMatchObject([{ state: 'sent', tries: 2, error: null }]);
    expect(smtp.received).toHaveLength(1);
  });

  it('whose sender crashed is taken over after the lease, a bounded number of times', async () => {
    const accountId = await openAccount('jane@shop.example');
    await queueMail(deps(), accountId, message);
    await db.query({
      text: `update mails set tries = tries + 1, next_try_at = $1`,
      values: [new Date(clock.now().getTime() + 5 * minuteMs)],
      scope: 'everybody',
    });
    expect(await sendAll()).toBe(0);
    clock.move(5 * minuteMs);
    await db.query({ text: 'update mails set tries = 6', scope: 'everybody' });
    expect(await sendAll()).toBe(1);
    expect(smtp.received).toEqual([]);
    expect(await listMails(db, accountId, 10)).toMatchObject([{ state: 'failed', tries: 7 }]);
  });

  it('fails a try at the timeout', async () => {
    const accountId = await openAccount('jane@shop.example');
    await queueMail(deps(), accountId, message);
    const patient = clock;
    clock = new TestClock();
    await sendAll(
      (_mail, signal) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
        }),
    );
    clock = patient;
    expect(await listMails(db, accountId, 10)).toMatchObject([
      { state: 'queued', tries: 1, error: 'no answer in time' },
    ]);
  });
});

/** The header names of Till's mails, in lower case. */
const ours = [
  'from',
  'to',
  'subject',
  'message-id',
  'date',
  'mime-version',
  'content-type',
  'content-transfer-encoding',
  'auto-submitted',
];

function expectHarmless() {
  for (const { from, recipients, headers } of smtp.received) {
    expect(from).toBe('till@pay.example');
    expect(recipients).toEqual(['jane@shop.example']);
    const names = headers.map((line) => line.slice(0, line.indexOf(':')).toLowerCase());
    expect(names.filter((name) => !ours.includes(name))).toEqual([]);
    expect(new Set(names).size).toBe(names.length);
    expect(headers.filter((line) => line.toLowerCase().startsWith('to:'))).toEqual(['To: jane@shop.example']);
  }
}

describe('an injected recipient', () => {
  it.each([
    'Hello\r\nBcc: eve@evil.example',
    'Hello\nTo: eve@evil.example',
    'Hello\rCc: eve@evil.example',
    'Hello\r\n\r\nA body of my own',
    'Hello\u2028Bcc: eve@evil.example',
    'Hello\u0000\u000b\u0085Bcc: eve@evil.example',
    '=?utf-8?Q?Hello=0D=0ABcc:_eve@evil.example?=',
    'Grüße\r\n\tBcc: eve@evil.example, joe@evil.example',
  ])('in a subject has no effect: %j', async (subject) => {
    const accountId = await openAccount('jane@shop.example');
    await queueMail(deps(), accountId, { ...message, subject });
    await sendAll();
    expect(smtp.received).toHaveLength(1);
    expectHarmless();
    expect(smtp.received[0]?.body.trim()).toBe('Words');
  });

  it.each([
    'jane@shop.example,eve@evil.example',
    'jane,eve@evil.example',
    'jane@shop.example\r\nRCPT TO:<eve@evil.example>',
    'jane@shop.example> NOTIFY=SUCCESS\r\nRCPT TO:<eve@evil.example',
    '"jane@shop.example, eve"@evil.example',
    'Jane: jane@shop.example, eve@evil.example;',
    'eve@evil.example <jane@shop.example>',
    'jane@shop.example\r\n\r\nBcc: eve@evil.example',
  ])('in an address is not sent: %j', async (address) => {
    const accountId = await openAccount(address, 'jane@shop.example');
    await queueMail(deps(), accountId, message);
    await sendAll();
    expect(smtp.received).toHaveLength(1);
    expectHarmless();
    const rows = await listMails(db, accountId, 10);
    expect(rows.map(({ state }) => state).sort()).toEqual(['failed', 'sent']);
  });

  it.each([
    '.\r\nMAIL FROM:<eve@evil.example>\r\nRCPT TO:<eve@evil.example>\r\nDATA\r\n',
    '\r\n.\r\nQUIT\r\n',
    'Bcc: eve@evil.example\r\n\r\n',
  ])('in the text stays text: %j', async (text) => {
    const accountId = await openAccount('jane@shop.example');
    await queueMail(deps(), accountId, { ...message, text });
    await sendAll();
    expect(smtp.received).toHaveLength(1);
    expectHarmless();
    expect(smtp.received[0]?.body).toContain(text.trim().split('\r\n')[0]);
  });
});
