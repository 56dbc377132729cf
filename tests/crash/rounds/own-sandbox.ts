import { setTimeout as pause } from 'node:timers/promises';
import { until } from '../../support/until.ts';
import type { Fleet } from '../fleet.ts';
import type { Random } from '../random.ts';
import { killServer } from './blows.ts';
import { Load } from './load.ts';

/** A client without an answer asks again within a second. */
const retryMs = 700;

/** What a run brought whose servers have the simulated processors in their process. */
export interface OwnSandboxResult {
  readonly findings: Awaited<ReturnType<Fleet['examine']>>;
  readonly flows: number;
  readonly problems: readonly string[];
}

const lostSql = `select id, failure_code from payments where status = 'failed' and failure_code = 'not_processed'`;

/**
 * Kills the only server again and again, with the simulators in its process, while programs pay that repeat each request
 * with its key within a second. Nothing else breaks, and time passes as it is: so every repeat comes in time, and no
 * payment may fail that nobody declined.
 */
export async function killWithSandbox(
  fleet: Fleet,
  random: Random,
  { clients, blows }: { readonly clients: number; readonly blows: number },
): Promise<OwnSandboxResult> {
  fleet.maxRetryMs = retryMs;
  const load = new Load(fleet, random.fork(), clients, { isPatient: true });
  for (let count = 0; count < blows; count += 1) {
    const enough = fleet.answered + 1 + random.below(5 * clients);
    await until('the load gets answers', () => fleet.answered >= enough, 60_000);
    await killServer(fleet, random);
    // Recovery may look at what was left before the next blow, or not.
    await pause(random.below(3_000));
  }
  await load.stop();
  const lost = await fleet.place.db.query<{ id: string; failure_code: string }>({
    text: lostSql,
    scope: 'everybody',
  });
  await fleet.settle();
  return {
    findings: await fleet.examine(load.clients),
    flows: load.clients.length,
    problems: lost.map(
      ({ id, failure_code: code }) => `${id} ended as ${code} although its repeat came in time`,
    ),
  };
}
