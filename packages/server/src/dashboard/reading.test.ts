import { dashboardApi, rolesFor } from '@till/contract/dashboard';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Database, openDatabase } from '../store/database.ts';
import type { ScopedStatement } from '../store/scope.ts';
import { findTenant } from '../vault/test-database.ts';
import type { DashboardAnswer } from './api.ts';
import { auditDashboardRoutes } from './audit/routes.ts';
import { exportPayments } from './payments/export-payments.ts';
import { createPaymentsKit, type PaymentsKit } from './payments/test-kit.ts';

const read = {
  id: 'read',
  method: 'GET',
  path: '/accounts/:account/read',
  roles: rolesFor.viewing,
  answers: {},
} as const;
const change = {
  ...read,
  id: 'change',
  method: 'POST',
  movesMoney: false,
  path: '/accounts/:account/change',
} as const;

let kit: PaymentsKit;
let account: string;
let reads: Database;
/** For statements that are expected to end by themselves, however slow the machine is. */
let patient: Database;
let next: () => Promise<DashboardAnswer>;

beforeAll(async () => {
  kit = await createPaymentsKit();
  account = await kit.openAccount();
  const [place] = await kit.db.query<{ name: string }>({
    text: 'select current_database() as name',
    scope: 'everybody',
  });
  const server = process.env.TILL_TEST_DATABASE_URL ?? '';
  const open = (statementMs: number) =>
    openDatabase({
      url: server.replace(/^(postgres(?:ql)?:\/\/[^/]*\/)[^?]*/, `$1${place?.name}`),
      connections: 2,
      applicationName: 'till test',
      statementMs,
      acquireMs: 1500,
      onError: () => {},
    });
  reads = open(300);
  patient = open(30_000);
  kit.api.mount(read, () => next());
  kit.api.mount(change, () => next());
  auditDashboardRoutes(kit.api, { reads: patient });
});
afterAll(async () => {
  await Promise.all([reads.close(), patient.close()]);
  await kit.drop();
});

/** A statement that runs until it is cancelled. */
const endless = { text: 'select pg_sleep(60)', scope: 'anybody' as const };
const reading =
  (statement: ScopedStatement, db = reads) =>
  async () => {
    await db.query(statement);
    return { status: 200, text: '{}' };
  };

describe('reading on connections of its own', () => {
  it('is stopped where it takes too long, and says what to do', async () => {
    next = reading(endless);
    const { call } = await kit.signIn(account, 'viewer');
    const reply = await call('GET', `/accounts/${account}/read`);
    expect([reply.status, reply.body.error]).toEqual([
      503,
      {
        type: 'api_error',
        code: 'read_too_long',
        message: expect.stringContaining('Narrow it'),
        request_id: reply.headers['service-request-id'],
      },
    ]);
    expect(kit.unexpected).toEqual([]);
  });

  it('waits for no connection for long while others read', async () => {
    next = reading({ text: 'select 1', scope: 'anybody' }, patient);
    const { call } = await kit.signIn(account, 'viewer');
    const held = [await patient.session(), await patient.session()];
    const reply = await call('GET', `/accounts/${account}/read`);
    expect([reply.status, reply.body.error.code, reply.headers['retry-after']]).toEqual([
      503,
      'too_many_reads',
      '5',
    ]);
    for (const session of held) session.release();
    expect((await call('GET', `/accounts/${account}/read`)).status).toBe(200);
  });

  it('keeps nobody else waiting, however many endless reads there are', async () => {
    next = reading(endless);
    const { call } = await kit.signIn(account, 'viewer');
    const many = Array.from({ length: 20 }, () => call('GET', `/accounts/${account}/read`));
    // The connections of payments are free meanwhile.
    expect(await kit.db.query({ text: 'select 1 as one', scope: 'everybody' })).toEqual([{ one: 1 }]);
    for (const reply of await Promise.all(many)) {
      expect(['read_too_long', 'too_many_reads']).toContain(reply.body.error.code);
    }
  });

  it('is no excuse for a change', async () => {
    next = reading(endless);
    const { call } = await kit.signIn(account, 'viewer');
    const reply = await call('POST', `/accounts/${account}/change`);
    expect(reply.status).toBe(500);
    expect(kit.unexpected.splice(0)).toHaveLength(1);
  });

  it('refuses a file whose first rows take too long, and breaks off one of which some were sent', async () => {
    let pieces = 0;
    async function* slow() {
      while (pieces > 0) {
        pieces -= 1;
        yield 'row\n';
      }
      await reads.query(endless);
    }
    next = async () => ({ file: { name: 'a.csv', contentType: 'text/csv', content: slow() } });
    const { call } = await kit.signIn(account, 'viewer');
    const none = await call('GET', `/accounts/${account}/read`);
    expect(kit.unexpected).toEqual([]);
    expect([none.status, none.body.error.code]).toEqual([503, 'read_too_long']);
    expect(none.headers['content-disposition']).toBeUndefined();
    pieces = 1;
    await expect(call('GET', `/accounts/${account}/read`)).rejects.toThrow();
  });

  it('is what the log of the account is read with', async () => {
    const { call } = await kit.signIn(account, 'owner');
    const held = [await patient.session(), await patient.session()];
    const { path } = dashboardApi.listAuditEntries;
    const url = path.replace(':account', account);
    expect((await call('GET', url)).body.error.code).toBe('too_many_reads');
    for (const session of held) session.release();
    expect((await call('GET', url)).body).toMatchObject({ object: 'list', capped: false });
  });
});

describe('an export', () => {
  it('has its head and its first rows in one piece', async () => {
    const query = {};
    const context = {
      ...(await findTenant(kit.db, account)),
      accountName: 'Shop',
      timeZone: 'UTC',
      now: kit.clock.now(),
    };
    const file = exportPayments(
      { ...kit.money.payments, db: patient },
      context as unknown as Parameters<typeof exportPayments>[1],
      query,
    );
    await kit.addPayment(account);
    const pieces: string[] = [];
    for await (const piece of file.content as AsyncIterable<string>) pieces.push(piece);
    expect(pieces).toHaveLength(1);
    expect(pieces[0]?.trimEnd().split('\r\n')).toHaveLength(2);
  });
});
