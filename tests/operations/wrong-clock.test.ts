import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { CleanUp } from '../support/clean-up.ts';
import { migratedDatabase } from '../support/fresh-database.ts';
import { Merchant } from '../support/merchant.ts';
import { type RunningServer, startServer, temporaryFolder } from '../support/server.ts';

const cleanUp = new CleanUp();
const dayMs = 24 * 3_600_000;
let settings: Record<string, string>;
let right: RunningServer;
let shop: Merchant;
/** Path of a script that shifts a process's system time. */
let preload: string;

beforeAll(async () => {
  const folder = await temporaryFolder();
  cleanUp.add(folder.remove);
  preload = join(folder.path, 'machine-time.cjs');
  await writeFile(
    preload,
    `const Real = Date;
     const ahead = Number(process.env.TEST_AHEAD_MS);
     globalThis.Date = class extends Real {
       constructor(...parts) { parts.length === 0 ? super(Real.now() + ahead) : super(...parts); }
       static now() { return Real.now() + ahead; }
     };`,
  );
  settings = {
    DATABASE_URL: await migratedDatabase(cleanUp),
    TILL_DATA_DIR: folder.path,
    TILL_MASTER_KEY: randomBytes(32).toString('base64'),
  };
  right = await startServer(settings);
  cleanUp.add(() => right.stop('SIGKILL'));
  shop = await Merchant.openAt(right);
}, 60_000);
afterAll(cleanUp.run);

it.each([25 / 24, -25 / 24])(
  'a server whose machine is %f days ahead replays what another server answered, and goes by the time of the database',
  async (days) => {
    const wrong = await startServer({
      ...settings,
      TEST_AHEAD_MS: String(days * dayMs),
      NODE_OPTIONS: `--require ${preload}`,
    });
    try {
      const options = { idempotencyKey: `order ${days}` };
      const paid = await shop.pay({ amount: 4242 }, options);
      const repeated = await shop.at(wrong).pay({ amount: 4242 }, options);
      expect([repeated.status, repeated.body]).toEqual([201, paid.body]);
      const made = await shop.at(wrong).pay({ amount: 700 });
      expect(Math.abs(made.body.created - paid.body.created)).toBeLessThan(600);
      expect(wrong.printed().err).toContain('the clock of this machine is not that of the database');
    } finally {
      await wrong.stop('SIGKILL');
    }
  },
  60_000,
);
