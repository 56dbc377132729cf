import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { newId } from '../lib/ids.ts';
import type { Database } from '../store/database.ts';
import { createTestDatabase, TestClock } from '../vault/test-database.ts';
import { sendMails } from './send-mails.ts';
import { insertMailRows, listMails } from './store.ts';

let database: Awaited<ReturnType<typeof createTestDatabase>>;
let db: Database;
let clock: TestClock;
let accountId: string;
let sent: string[];
let incidents: string[];

beforeAll(async () => {
  database = await createTestDatabase();
  db = database.db;
});

afterAll(() => database.drop());

beforeEach(async () => {
  const pausing = new TestClock();
  const { delay } = pausing;
  // Only pauses for a fence, of less than a second, end by themselves. The deadline of a mail must not pass meanwhile.
  clock = Object.assign(pausing, {
    delay: (ms: number, signal?: AbortSignal) =>
      ms < 1_000
        ? delay(ms)
        : new Promise<void>((resolve) => signal?.addEventListener('abort', () => resolve(), { once: true })),
  });
  [sent, incidents] = [[], []];
  accountId = await database.openAccount();
  await insertMailRows(db, accountId, [
    {
      id: newId('mail', clock.now(), randomBytes),
      to_address: 'jane@shop.example',
      subject: 'Hello',
      text: 'Words',
      html: null,
      state: 'queued',
      created_at: clock.now(),
    },
  ]);
});

/**
 * Sends due mails while a move refuses to store their outcome, `max` times.
 * @param hint `fenced` if the account may stay, `gone` if it is in another cell
 * @returns how often the outcome was refused
 */
async function sendFenced(
  hint: 'fenced' | 'gone',
  max: number,
  send = async (to: string) => void sent.push(to),
): Promise<number> {
  let refused = 0;
  const query: Database['query'] = async (statement) => {
    if (statement.name !== 'finish_mail' || refused === max) return db.query(statement);
    refused += 1;
    const error = new pg.DatabaseError('the account is being moved to another cell', 1, 'error');
    throw Object.assign(error, { code: 'TM001', detail: accountId, hint });
  };
  await sendMails({
    db: { ...db, query },
    clock,
    send: (mail) => send(mail.to_address),
    onIncident: (words) => incidents.push(words),
  });
  return refused;
}

it('a mail that is sent while its account is fenced is marked once the fence is gone, and not sent again', async () => {
  expect(await sendFenced('fenced', 3)).toBe(3);
  expect(await listMails(db, accountId, 10)).toMatchObject([{ state: 'sent', tries: 1 }]);
  clock.move(86_400_000);
  expect(await sendFenced('fenced', 0)).toBe(0);
  expect(sent).toEqual(['jane@shop.example']);
});

it('one that was not taken meanwhile is tried again in the usual gap', async () => {
  expect(await sendFenced('fenced', 3, () => Promise.reject(new Error('mailbox full')))).toBe(3);
  expect(await listMails(db, accountId, 10)).toMatchObject([{ state: 'queued', error: 'mailbox full' }]);
});

it('one whose account is in the other cell by then is left to that, at once', async () => {
  expect(await sendFenced('gone', 1)).toBe(1);
  expect(incidents).toEqual(['mails could not be sent']);
  expect(await listMails(db, accountId, 10)).toMatchObject([{ state: 'queued', tries: 1 }]);
});
