import type { RandomBytes } from '../lib/ids.ts';
import type { MailDependencies } from '../mail/queue-mail.ts';
import type { PeopleDependencies } from '../users/dependencies.ts';
import { Passwords } from '../users/passwords.ts';
import { removeOldSessions } from '../users/sessions.ts';
import { removeOldThrottles } from '../users/throttle.ts';
import type { ServerDependencies } from './dependencies.ts';

/** What the operations on people need. */
export function composePeople(
  { db, clock, masterKeys }: ServerDependencies,
  built: {
    readonly randomBytes: RandomBytes;
    readonly mail: MailDependencies;
    readonly publicAddress: () => string;
  },
): PeopleDependencies {
  return { ...built, db, clock, masterKeys, passwords: new Passwords() };
}

/** Deletes sessions and counted failures that are over. */
export async function tidyPeople(people: PeopleDependencies): Promise<void> {
  await removeOldSessions(people);
  await removeOldThrottles(people.db, people.clock.now());
}
