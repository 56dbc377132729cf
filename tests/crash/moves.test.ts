import { afterAll, beforeAll, expect, it } from 'vitest';
import { CleanUp } from '../support/clean-up.ts';
import { countFindings } from './counters.ts';
import { calmTimeoutMs, type DividedFleet, openDividedFleet, otherCell } from './fleets.ts';
import { answeredDuringHandOver, leaveFenceOut } from './plants/no-fence.ts';

/** A server is started, and everything comes to its end twice, beside other tests. */
const testMs = 180_000;
const cleanUp = new CleanUp();
afterAll(cleanUp.run, testMs);

let divided: DividedFleet;

beforeAll(async () => {
  divided = await openDividedFleet(cleanUp, 1, calmTimeoutMs);
}, testMs);

it(
  'answers that come while an account is handed over are kept where it goes, and without the fence that is counted',
  async () => {
    expect(await answeredDuringHandOver(divided, otherCell)).toEqual([]);
    for (const cell of ['home', otherCell] as const) await leaveFenceOut(divided.databaseIn(cell));
    const counted = countFindings(await answeredDuringHandOver(divided, 'home'));
    expect(counted['event duplicated'] + counted['reply differing']).toBeGreaterThan(0);
  },
  testMs,
);
