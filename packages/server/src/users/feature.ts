import type { PeopleDependencies } from './people/dependencies.ts';
import { Passwords } from './people/passwords.ts';
import { removeOldSessions } from './sign-in/sessions.ts';
import { removeOldThrottles } from './sign-in/throttle.ts';

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
