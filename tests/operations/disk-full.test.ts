import { execFileSync } from 'node:child_process';
import { chmod, open, rm, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CleanUp } from '../support/clean-up.ts';
import { dataFolder } from '../support/data-folder.ts';
import { expectEnvelope } from '../support/expect-error.ts';
import { Merchant, type Reply } from '../support/merchant.ts';
import { commandJson, type RunningServer, temporaryFolder } from '../support/server.ts';
import { until } from '../support/until.ts';

const mebibyte = 2 ** 20;
const cleanUp = new CleanUp();
afterAll(cleanUp.run);

/** Mounts a small file system. @returns its path; undefined if this user may not mount one */
async function smallDisk(): Promise<string | undefined> {
  if (process.platform !== 'linux') return undefined;
  const folder = await temporaryFolder();
  cleanUp.add(folder.remove);
  // The user of the embedded database needs access.
  await chmod(folder.path, 0o755);
  try {
    const size = 'size=192m,mode=755';
    execFileSync('mount', ['-t', 'tmpfs', '-o', size, 'tmpfs', folder.path], { stdio: 'pipe' });
  } catch {
    return undefined;
  }
  cleanUp.add(() => execFileSync('umount', ['--lazy', folder.path], { stdio: 'pipe' }));
  return folder.path;
}

const disk = await smallDisk();

async function freeBytes(): Promise<number> {
  const { bavail, bsize } = await statfs(disk ?? '');
  return bavail * bsize;
}

/** Fills the disk. @param leave how many bytes to leave free */
async function fill(leave: number): Promise<void> {
  const file = await open(join(disk ?? '', 'filler'), 'a');
  try {
    for (;;) {
      const max = Math.min(mebibyte, (await freeBytes()) - leave);
      if (max <= 0) return;
      await file.write(Buffer.alloc(max));
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
  } finally {
    await file.close();
  }
}

const makeRoom = () => rm(join(disk ?? '', 'filler'), { force: true });

/** Skipped, with the reason in the title, if this user may not mount a small file system. */
const onSmallDisk = describe.skipIf(disk === undefined);
const missing = disk === undefined ? ' (skipped: this user may not mount one)' : '';

onSmallDisk(`on a small disk that is full${missing}`, () => {
  let server: RunningServer;
  let shop: Merchant;
  const answers = new Map<string, Reply>();
  let loading = true;
  let load: Promise<unknown>;

  const ready = async () => {
    const response = await fetch(`${server.baseUrl}/readyz`);
    return { status: response.status, body: (await response.json()) as { checks: Record<string, unknown> } };
  };

  /** Creates payments one after the other for as long as the tests run. */
  async function buyer(name: string): Promise<void> {
    for (let number = 0; loading; number += 1) {
      const key = `${name}-${number}`;
      answers.set(key, await shop.pay({ reference: key }, { idempotencyKey: key }));
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }

  const countOf = (status: number) => [...answers.values()].filter((reply) => reply.status === status).length;

  beforeAll(async () => {
    const folder = await dataFolder(cleanUp, disk);
    server = await folder.start({
      TILL_DISK_FLOOR_MB: '32',
      TILL_RATE_LIMIT_RPS: '0',
      // Interrupted operations keep their lease, which lasts as long as several requests to a processor may take.
      TILL_PROCESSOR_TIMEOUT_MS: '500',
    });
    shop = await Merchant.openAt(server);
    load = Promise.all(['a', 'b'].map(buyer));
    cleanUp.add(async () => {
      loading = false;
      await load;
    });
    await until('payments go through', () => countOf(201) > 10);
  });

  it('refuses writes before the database has no room, keeps serving reads, and gives the reason', async () => {
    const before = await shop.pay();
    await fill(20 * mebibyte);
    const away = await until('not ready', async () => {
      const now = await ready();
      return now.status === 503 && now;
    });
    expect(away.body.checks).toMatchObject({
      database: { ok: true },
      disk: { ok: false, error: expect.stringMatching(/^only \d+ MiB are free: /) },
    });
    const refused = await shop.pay();
    expect(refused.status).toBe(503);
    expect(refused.body.error.code).toBe('service_unavailable');
    expect(refused.headers.get('retry-after')).toBe('5');
    expect((await shop.get(`/api/v1/payments/${before.body.id}`)).body).toEqual(before.body);
    await makeRoom();
    await until('ready again', async () => (await ready()).status === 200);
    expect((await shop.pay()).status).toBe(201);
  });

  it('that others filled at once the database ends, and comes back by itself once there is room', {
    // The waits of this test may take longer than the default timeout.
    timeout: 150_000,
  }, async () => {
    const { url } = await commandJson<{ url: string }>(server.environment, ['db', 'url']);
    const paidBefore = countOf(201);
    await until('payments go through', () => countOf(201) > paidBefore + 5);
    // The timeout keeps a statement that neither ends nor fails from keeping the disk full.
    const writer = new pg.Client({ connectionString: url, query_timeout: 10_000 });
    writer.on('error', () => {});
    const ended = new Promise<void>((resolve) => {
      writer.on('end', () => resolve());
    });
    await writer.connect();
    await writer.query('create table filler (text text)');
    await fill(0);
    // The next write needs a new WAL segment, for which there is no room.
    for (let round = 0; round < 20; round += 1) {
      await writer.query('select pg_switch_wal()').catch(() => {});
      await writer
        .query(`insert into filler select repeat('x', 1000) from generate_series(1, 1000)`)
        .catch(() => {});
    }
    await Promise.race([ended, writer.end().catch(() => {})]);
    const isAway = (check: unknown) => JSON.stringify(check).startsWith('{"ok":false');
    await until('the database is away, and the reason is given', async () => {
      const { checks } = (await ready()).body;
      return isAway(checks.database) && isAway(checks.disk);
    });
    expect((await fetch(`${server.baseUrl}/healthz`)).status).toBe(200);
    expect((await shop.get('/api/v1/payments')).status).toBe(503);
    await makeRoom();
    await until('ready again', async () => (await ready()).status === 200, 60_000);
    expect((await shop.pay()).status).toBe(201);
  });

  it('every request was answered, nothing acknowledged is lost and nothing is charged twice', {
    timeout: 120_000,
  }, async () => {
    loading = false;
    await load;
    expect(countOf(503)).toBeGreaterThan(0);
    for (const [key, reply] of answers) {
      expect([201, 503]).toContain(reply.status);
      if (reply.status === 503) expectEnvelope(reply);
      else expect((await shop.get(`/api/v1/payments/${reply.body.id}`)).body).toEqual(reply.body);
      const again = await until(
        `an answer for ${key}`,
        async () => {
          const repeated = await shop.pay({ reference: key }, { idempotencyKey: key });
          return repeated.status !== 503 && repeated;
        },
        60_000,
      );
      expect(again.status).toBe(201);
      if (reply.status === 201) expect(again.text).toBe(reply.text);
      answers.set(key, again);
    }
    const payments = [...answers.values()].map(({ body }) => body.id as string);
    const { charges } = await shop.ledger();
    const charged = charges
      .map(({ reference }) => reference)
      .filter((reference) => payments.includes(reference));
    expect(charged.sort()).toEqual(payments.sort());
  });
});
