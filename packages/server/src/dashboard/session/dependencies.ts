import type { PeopleDependencies } from '../../users/people/dependencies.ts';

export interface SessionDependencies {
  readonly people: PeopleDependencies;
}
