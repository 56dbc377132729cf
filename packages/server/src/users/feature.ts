import type { PeopleDependencies } from './dependencies.ts';
import { Passwords } from './passwords.ts';
import { removeOldSessions } from './sessions.ts';
import { removeOldThrottles } from './throttle.ts';

/** What the operations on people need. */
export const createPeople = (deps: Omit<PeopleDependencies, 'passwords'>): PeopleDependencies => ({
  ...deps,
  passwords: new Passwords(),
});

/** Deletes sessions and counted failures that are over. */
export async function tidyPeople(people: PeopleDependencies): Promise<void> {
  await removeOldSessions(people);
  await removeOldThrottles(people.db, people.clock.now());
}
