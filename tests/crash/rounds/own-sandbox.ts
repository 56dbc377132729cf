import { setTimeout as pause } from 'node:timers/promises';
import { until } from '../../support/until.ts';
import type { Fleet } from '../fleet.ts';
import type { Random } from '../random.ts';
import { killServer } from './blows.ts';
import { Load } from './load.ts';

/** A client without a response retries within a second. */
const retryMs = 700;

/** The result of a run with the simulated processors inside the server's process. */
export interface OwnSandboxResult {
  readonly findings: Awaited<ReturnType<Fleet['examine']>>;
  readonly flows: number;
  readonly problems: readonly string[];
}

const lostSql = `select id, failure_code from payments where status = 'failed' and failure_code = 'not_processed'`;

/**
 * Kills the only server repeatedly, with the simulators in its process, while programs pay and retry each request with its key
 * within a second. Nothing else fails, and the clock is not moved: every retry comes in time, so that only declined payments may
 * fail.
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
    // Recovery may or may not run before the next kill.
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
