import { randomInt } from 'node:crypto';
import { merchantApi } from '@till/contract';
import { afterAll, describe, expect, it } from 'vitest';
import { CleanUp } from '../support/clean-up.ts';
import { migratedDatabase } from '../support/fresh-database.ts';
import { compareWithLedgers } from '../support/ledger-check.ts';
import { startServer, temporaryFolder } from '../support/server.ts';
import { operationNames } from './requests.ts';
import { fuzz, fuzzSettings } from './run.ts';

const cleanUp = new CleanUp();
afterAll(cleanUp.run);

const cases = 300;
const seed = Number(process.env.TILL_FUZZ_SEED ?? randomInt(2 ** 31));

describe('requests with something wrong about them', () => {
  it('are made for every operation of the API', () => {
    expect([...operationNames].sort()).toEqual(Object.keys(merchantApi).sort());
  });

  it(`never end in a 5xx or in anything but the contract's answers`, { timeout: 300_000 }, async () => {
    process.stdout.write(
      `fuzz: ${cases} requests per operation, seed ${seed}: npm run fuzz -- --seed ${seed}\n`,
    );
    const database = await migratedDatabase(cleanUp);
    const folder = await temporaryFolder();
    cleanUp.add(folder.remove);
    const server = await startServer({ ...fuzzSettings, DATABASE_URL: database, TILL_DATA_DIR: folder.path });
    cleanUp.add(() => server.stop('SIGKILL'));
    const faults = await fuzz(server, { seed, cases });
    expect(faults).toEqual([]);
    await server.stop();
    expect((await compareWithLedgers(database)).differences).toEqual([]);
  });
});
