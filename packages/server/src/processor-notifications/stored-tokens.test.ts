import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createLogger } from '../lib/log/log.ts';
import { scrubCardNumbers } from '../lib/log/scrub.ts';
import { createMetrics } from '../lib/metrics.ts';
import type { Database } from '../store/database.ts';
import { tenantIn } from '../vault/test-database.ts';
import type { NotifiedFeatures } from './apply-effect.ts';
import { createNotifications } from './feature.ts';
import { receiveNotification } from './receive-notification.ts';
import { openNotification } from './sealed.ts';
import {
  createApplier,
  createProcess,
  createTestDatabase,
  delivery,
  namesOf,
  openAccount,
  start,
  stored,
  vaultOf,
} from './test-kit.ts';

let db: Database;
let drop: () => Promise<void>;

beforeAll(async () => {
  ({ db, drop } = await createTestDatabase());
});
afterAll(() => drop());
beforeEach(() => db.query({ text: 'truncate processor_notifications', scope: 'everybody' }));

/** The server's own composition with its real log; its payments fail at every notification. */
function createServer() {
  const { deps, moveTo } = createProcess(db);
  const lines: string[] = [];
  const created = createNotifications({
    ...deps,
    db,
    log: createLogger('debug', (line) => lines.push(line)),
    metrics: createMetrics('test', () => 0),
    features: { payments: {}, disputes: {} } as NotifiedFeatures,
  });
  return { ...created, lines, moveTo };
}

/** The forms in which a text can appear in a row or log line: plain, in hex, or in base64 at each of its three alignments. */
function formsOf(text: string): string[] {
  const base64 = [0, 1, 2].map((lead) =>
    Buffer.from(`${'\0'.repeat(lead)}${text}`)
      .toString('base64')
      .slice(Math.ceil((lead * 4) / 3), Math.floor(((lead + text.length) * 4) / 3)),
  );
  return [text, Buffer.from(text).toString('hex'), ...base64];
}

async function rowsAsText(account: string): Promise<string> {
  const rows = await db.query<{ text: string }>({
    text: 'select n::text as text from processor_notifications n where tenant in (select tenant from tenants where account_id = $1)',
    values: [account],
    scope: 'everybody',
  });
  expect(rows).toHaveLength(1);
  return rows.map(({ text }) => text).join();
}

const token = 'M5N7TQ4TG5PFWR50';
const saved = { token, upstreamCustomer: null };

/** Each processor's notification about a token, with its adapter's interpretation. */
const sentTokens = [
  [
    'processor_a',
    {
      id: `RECURRING_CONTRACT:${token}:true`,
      type: 'RECURRING_CONTRACT',
      pspReference: token,
      additionalData: { 'recurring.recurringDetailReference': token },
      effects: [{ kind: 'instrument_saved', paymentId: 'pay_1', payment: {}, saved }],
    },
  ],
  [
    'processor_b',
    {
      id: `WH-${token}`,
      type: 'VAULT.PAYMENT-TOKEN.CREATED',
      resource: { id: token, customer: { id: '1' } },
      effects: [{ kind: 'instrument_saved', paymentId: null, payment: { order: '1' }, saved }],
    },
  ],
] as const;

describe.each(sentTokens)('a token in a notification of %s', (processor, notification) => {
  it('is in no row, list or log line in any form, from receipt until it is applied', async () => {
    const account = await openAccount(db, processor);
    const [id = ''] = await namesOf(db, account, [notification.id]);
    const { intake, job, lines, moveTo } = createServer();
    const seen: string[] = [];
    const note = async () => {
      seen.push(await rowsAsText(account), JSON.stringify(await stored(db, account)), ...lines);
    };
    await receiveNotification(intake, processor, account, delivery(account, false, [notification]));
    await receiveNotification(intake, processor, account, delivery(account, false, [notification]));
    await job.run();
    await note();
    for (let hours = 1; hours <= 30; hours += 1) {
      moveTo(hours * 3_600_000);
      await job.run();
    }
    await note();
    expect(lines.filter((line) => line.includes('"notification not applied"'))).toHaveLength(20);
    expect(lines.at(-1)).toContain('"notification parked"');
    // Digits in an id that happen to look like a card number are masked too.
    expect(lines.at(-1)).toContain(`"detail":"${scrubCardNumbers(`${notification.type} ${id}`)}"`);
    await intake.store.retry(tenantIn(account), id, start);
    const applier = createApplier(db);
    expect(await applier.run()).toBe(1);
    expect(applier.seen).toMatchObject([{ effect: { saved } }]);
    await note();
    const text = seen.join('\n');
    expect(text).toContain(id);
    expect(formsOf(token).filter((form) => text.includes(form))).toEqual([]);
  });

  it('is sealed for its own row only', async () => {
    const account = await openAccount(db, processor);
    const { deps } = createProcess(db);
    await receiveNotification(deps, processor, account, delivery(account, false, [notification]));
    const options = { now: start, lease: deps.lease(), maxTries: 20 };
    const [taken] = await deps.store.takeNew(tenantIn(account), options, 1);
    if (taken === undefined) throw new Error('nothing was taken');
    expect(await openNotification(vaultOf(db), tenantIn(account), taken)).toEqual(notification);
    const other = await openAccount(db, processor);
    await vaultOf(db).name(other, 'has a key');
    for (const [tenant, row] of [
      [tenantIn(account, true), taken],
      [tenantIn(account), { ...taken, id: 'other' }],
      [tenantIn(other), taken],
    ] as const) {
      await expect(openNotification(vaultOf(db), tenant, row)).rejects.toThrow('does not belong');
    }
  });
});

describe('an applied notification', () => {
  it('keeps no content, and a repeat is still recognised', async () => {
    const account = await openAccount(db, 'processor_a');
    const { deps, counted } = createProcess(db);
    const request = delivery(account, false, [{ id: 'one' }]);
    await receiveNotification(deps, 'processor_a', account, request);
    expect(await createApplier(db).run()).toBe(1);
    await receiveNotification(deps, 'processor_a', account, request);
    expect(counted).toEqual(['processor_a accepted', 'processor_a duplicate']);
    const rows = await db.query({
      text: 'select body, key_version, state from processor_notifications where tenant in (select tenant from tenants where account_id = $1)',
      values: [account],
      scope: 'everybody',
    });
    expect(rows).toEqual([{ body: null, key_version: null, state: 'applied' }]);
  });
});
