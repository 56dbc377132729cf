import { afterAll, beforeAll, expect, it } from 'vitest';
import { CleanUp } from '../support/clean-up.ts';
import { countFindings } from './counters.ts';
import { type DividedFleet, openDividedFleet, otherCell } from './fleets.ts';
import { answeredDuringHandOver, leaveFenceOut } from './plants/no-fence.ts';

/** The test starts a server and settles everything twice, while other tests run. */
const testMs = 180_000;
/** The maximum time for which the processor's responses are held. A move takes less. */
const heldAtMostMs = 60_000;
const foreignKeyViolation = '23503';
const cleanUp = new CleanUp();
afterAll(cleanUp.run, testMs);

let divided: DividedFleet;

beforeAll(async () => {
  divided = await openDividedFleet(cleanUp, 1, heldAtMostMs);
}, testMs);

it(
  'answers that come while an account is handed over are kept where it goes, and without the fence that is counted',
  async () => {
    expect(await answeredDuringHandOver(divided, otherCell, true)).toEqual({ ended: 'moved', findings: [] });
    for (const cell of ['home', otherCell] as const) await leaveFenceOut(divided.databaseIn(cell));
    const { ended, findings } = await answeredDuringHandOver(divided, 'home', false);
    const counted = countFindings(findings);
    // A row that refers to a row which came too late violates its foreign key, and the move fails.
    const stopped = ended === foreignKeyViolation ? 1 : 0;
    expect(stopped + counted['event duplicated'] + counted['reply differing']).toBeGreaterThan(0);
  },
  testMs,
);
