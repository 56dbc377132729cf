import type { PeopleDependencies } from './people/dependencies.ts';
import { Passwords } from './people/passwords.ts';
import { removeOldSessions } from './sign-in/sessions.ts';
import { removeOldThrottles } from './sign-in/throttle.ts';

/** Assembles the dependencies of the operations on people. */
export const createPeople = (deps: Omit<PeopleDependencies, 'passwords'>): PeopleDependencies => ({
  ...deps,
  passwords: new Passwords(),
});

/** Deletes expired sessions and outdated counts of failed sign-ins. */
export async function tidyPeople(people: PeopleDependencies): Promise<void> {
  await removeOldSessions(people);
  await removeOldThrottles(people.db, people.clock.now());
}
