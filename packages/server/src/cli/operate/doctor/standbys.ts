import type { Config } from '../../../config/config.ts';
import { systemClock } from '../../../lib/clock.ts';
import { type Database, openDatabase } from '../../../store/database.ts';
import { type Lag, lagOf } from '../../../store/standby/lag.ts';
import { databaseUrl } from '../../lib/connect.ts';
import { type Finding, fail, ok, reasonOf, warn } from './finding.ts';

const opened = (url: string): Database =>
  openDatabase({ url, connections: 1, applicationName: 'till doctor', onError: () => {} });

/** Checks the standbys for the dashboard's lists. Their absence is no failure: lists are then read from the primary. */
export async function checkStandbys(config: Config): Promise<Finding[]> {
  if (config.replica === null) return [ok('standbys', 'none is read from')];
  const { hosts, maxLagMs } = config.replica;
  const primary = opened(await databaseUrl(config));
  try {
    return await Promise.all(
      hosts.map(async ({ name, url }) => {
        const check = `standby ${name}`;
        const standby = opened(url);
        try {
          return findingOf(check, await lagOf(primary, standby, systemClock, maxLagMs), maxLagMs);
        } catch (error) {
          return warn(
            check,
            `cannot be read: ${reasonOf(error)}`,
            'start it, or correct TILL_READ_DATABASE_URL',
          );
        } finally {
          await standby.close();
        }
      }),
    );
  } finally {
    await primary.close();
  }
}

function findingOf(check: string, lag: Lag, maxLagMs: number): Finding {
  switch (lag.kind) {
    case 'near':
      return ok(check, `has what the primary has within ${Math.ceil(lag.ms / 1000)} s`);
    case 'leads':
      return ok(check, 'takes writes itself, so lists are read from the others');
    case 'behind':
      return warn(
        check,
        `is more than ${maxLagMs / 1000} s behind, so it is not read`,
        'see whether it replays, in pg_stat_replication of the primary; TILL_READ_LAG_SECONDS is the limit',
      );
    case 'other_cluster':
      return fail(check, 'is no copy of the database', 'correct TILL_READ_DATABASE_URL');
  }
}
