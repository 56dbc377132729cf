import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDisputeKit, type DisputeKit } from '../disputes/test-kit.ts';
import { type Suspend, suspendNothing } from '../lib/waiting/suspend.ts';
import { until } from '../processor-notifications/test-kit.ts';
import { type Database, openDatabase } from '../store/database.ts';
import { createFile } from './files.ts';
import { FileStore } from './store.ts';
import { UploadQueue } from './upload-queue.ts';

const content = Buffer.from('%PDF-1.7\n');

describe('concurrent uploads of one account, with a pool of three connections', () => {
  let kit: DisputeKit;
  let pool: Database;

  beforeAll(async () => {
    kit = await createDisputeKit();
    const [row] = await kit.db.query<{ name: string }>({
      text: 'select current_database() as name',
      scope: 'everybody',
    });
    const server = process.env.TILL_TEST_DATABASE_URL ?? '';
    pool = openDatabase({
      url: server.replace(/^(postgres(?:ql)?:\/\/[^/]*\/)[^?]*/, `$1${row?.name}`),
      connections: 3,
      acquireMs: 20_000,
      applicationName: 'uploads',
      onError: () => {},
    });
  });
  afterAll(async () => {
    await pool.close();
    await kit.drop();
  });

  it('leave connections to other accounts while they wait for the row lock', async () => {
    const [busy, other] = [kit.context(await kit.openAccount()), kit.context(await kit.openAccount())];
    const deps = {
      store: new FileStore(pool),
      clock: kit.clock,
      randomBytes,
      uploads: new UploadQueue(),
    };
    const upload = (where = busy) => createFile(deps, where, { name: 'a.pdf', content });
    const isLockAwaited = async () => {
      const rows = await kit.db.query({
        text: `select from pg_stat_activity where application_name = 'uploads' and wait_event_type = 'Lock'`,
        scope: 'everybody',
      });
      return rows.length > 0;
    };
    const uploads = await kit.db.transaction(async (tx) => {
      await tx.query({
        text: 'select from accounts where account_id = $1 for update',
        values: [busy.accountId],
        scope: { accountId: busy.accountId },
      });
      const begun = Promise.allSettled(Array.from({ length: 10 }, () => upload()));
      await until('the first waits for the account', isLockAwaited);
      await expect(pool.query({ text: 'select 1 as one', scope: 'everybody' })).resolves.toEqual([
        { one: 1 },
      ]);
      await expect(upload(other)).resolves.toMatchObject({ tenant: other.tenant });
      // Wrapped in an object, because the transaction would otherwise await the promise.
      return { begun };
    });
    expect((await uploads.begun).map(({ status }) => status)).toEqual(
      Array.from({ length: 10 }, () => 'fulfilled'),
    );
  });
});

describe('the upload queue', () => {
  /** Work that lasts until `end` is called; `state` shows whether it has begun. */
  function work() {
    let end = () => {};
    const ended = new Promise<void>((resolve) => {
      end = resolve;
    });
    const state = { began: false };
    const keep = () => {
      state.began = true;
      return ended;
    };
    return { keep, end, state };
  }

  const of = (accountId: string) => ({ accountId, suspend: suspendNothing });

  it('runs the uploads of one account in order, also after one that failed', async () => {
    const queue = new UploadQueue();
    const [first, second] = [work(), work()];
    const failed = queue.run(of('acct_1'), async () => {
      await first.keep();
      throw new Error('refused');
    });
    const kept = queue.run(of('acct_1'), second.keep);
    await queue.run(of('acct_2'), async () => {});
    expect([first.state.began, second.state.began]).toEqual([true, false]);
    first.end();
    await expect(failed).rejects.toThrow('refused');
    second.end();
    await kept;
  });

  it('holds no place among requests while an upload waits', async () => {
    let aside = 0;
    const queue = new UploadQueue();
    const suspend: Suspend = async (wait) => {
      aside += 1;
      return wait().finally(() => {
        aside -= 1;
      });
    };
    const first = work();
    const runs = [first.keep, async () => {}].map((keep) =>
      queue.run({ accountId: 'acct_1', suspend }, keep),
    );
    expect(aside).toBe(1);
    first.end();
    await Promise.all(runs);
    expect(aside).toBe(0);
  });

  it('503 for the thirty-third upload of an account; another account is served', async () => {
    const queue = new UploadQueue();
    const first = work();
    const runs = [queue.run(of('acct_1'), first.keep)];
    for (let index = 1; index < 32; index += 1) runs.push(queue.run(of('acct_1'), async () => {}));
    await expect(queue.run(of('acct_1'), async () => {})).rejects.toMatchObject({
      code: 'service_unavailable',
      retryAfterSeconds: 1,
    });
    await queue.run(of('acct_2'), async () => {});
    first.end();
    await Promise.all(runs);
    await queue.run(of('acct_1'), async () => {});
  });
});
