import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CleanUp } from '../support/clean-up.ts';
import { countFindings, type Finding } from './counters.ts';
import type { Fleet } from './fleet.ts';
import { calmTimeoutMs, openFleet, openFleetWithDatabase } from './fleets.ts';
import { failInserts } from './plants/server-errors.ts';
import { chooseSeed, Random } from './random.ts';
import { killBackend, killDatabase, killServer, loseLock } from './rounds/blows.ts';
import { stopUnderLoad } from './rounds/graceful.ts';
import { runLoad } from './rounds/load.ts';
import { killWithSandbox } from './rounds/own-sandbox.ts';
import { captureAndVoid, confirmAndExpiry, refundsAtOnce, sameEmail, sameKey } from './rounds/races.ts';

/** The tests start servers several times while other tests run, which takes long. */
const testMs = 180_000;
const cleanUp = new CleanUp();
afterAll(cleanUp.run, testMs);

const seed = chooseSeed();
const random = new Random(seed);
let fleet: Fleet;

beforeAll(async () => {
  fleet = await openFleet(cleanUp, 2);
}, testMs);

describe('two server processes', () => {
  it('charge once for 50 creates under one key, and answer all of them alike', async () => {
    expect(await sameKey(fleet, 50)).toHaveProperty('size', 1);
  });

  it('let one of capture and void win', async () => {
    const rounds = await captureAndVoid(fleet, 10);
    expect(rounds).toEqual(rounds.map(() => ({ 200: 1, 422: 1 })));
  });

  it('never refund more than the payment', async () => {
    const halves = await refundsAtOnce(fleet, { rounds: 10, count: 2, amount: 60 });
    expect(halves).toEqual(halves.map(() => ({ 201: 1, 422: 1 })));
    const thirds = await refundsAtOnce(fleet, { rounds: 2, count: 20, amount: 30 });
    expect(thirds).toEqual(thirds.map(() => ({ 201: 3, 422: 17 })));
  });

  it('create one customer for an e-mail address, however it is spelled', async () => {
    expect(await sameEmail(fleet, 30)).toEqual({ 201: 1, 422: 29 });
  });

  it('give a confirm at the end of the 15 minutes one outcome', { timeout: testMs }, async () => {
    for (const status of await confirmAndExpiry(fleet, 10)) expect(['succeeded', 'failed']).toContain(status);
  });

  it('leave no difference to the processors’ ledgers', async () => {
    await fleet.settle();
    expect(await fleet.examine([])).toEqual([]);
  });
});

describe('an answer 500, though its repeat is answered better, counts as an internal error', () => {
  const internalErrors = (findings: readonly Finding[]) => countFindings(findings)['internal error'];

  it('in a race', async () => {
    const removeFault = await failInserts(fleet.place.db, 2);
    await refundsAtOnce(fleet, { rounds: 1, count: 2, amount: 60 });
    await removeFault();
    await fleet.settle();
    expect(internalErrors(await fleet.examine([]))).toBeGreaterThan(0);
  });

  it(
    'under load',
    async () => {
      const removeFault = await failInserts(fleet.place.db, 2);
      const { findings } = await runLoad(fleet, random.fork(), { clients: 2, blows: [] });
      await removeFault();
      expect(internalErrors(findings)).toBeGreaterThan(0);
    },
    testMs,
  );
});

describe(`server processes under load, with TILL_CRASH_SEED=${seed}`, () => {
  it(
    'that are killed or lose their lock lose nothing and do nothing twice, while processors break off as well',
    async () => {
      const { findings, flows } = await runLoad(fleet, random, {
        clients: 8,
        blows: [killServer, loseLock, killServer],
      });
      expect(findings).toEqual([]);
      expect(flows).toBeGreaterThanOrEqual(8);
    },
    testMs,
  );

  it(
    'that get SIGTERM at 200 requests/s answer the requests under way, and exit with 0',
    async () => {
      const result = await stopUnderLoad(fleet, random, { stops: 1, perSecond: 200, aroundMs: 200 });
      expect(result.exitCodes).toEqual([0]);
      expect(result.findings).toEqual([]);
    },
    testMs,
  );
});

describe(`a server with the simulated processors in its process, with TILL_CRASH_SEED=${seed}`, () => {
  it(
    'that is killed fails no payment whose request is repeated in time',
    async () => {
      const alone = await openFleet(cleanUp, 1, calmTimeoutMs, 'inside');
      const { findings, problems } = await killWithSandbox(alone, random, { clients: 8, blows: 1 });
      expect(findings).toEqual([]);
      expect(problems).toEqual([]);
    },
    testMs,
  );
});

describe(`PostgreSQL under load, with TILL_CRASH_SEED=${seed}`, () => {
  it(
    'that is killed loses nothing that was answered, and the server survives',
    async () => {
      const { fleet: single, folder } = await openFleetWithDatabase(cleanUp);
      const [server] = single.servers;
      const blows = [killDatabase(folder), killBackend];
      const { findings, flows } = await runLoad(single, random, { clients: 8, blows });
      expect(findings).toEqual([]);
      expect(flows).toBeGreaterThanOrEqual(8);
      expect(server?.process.exitCode).toBeNull();
    },
    testMs,
  );
});
