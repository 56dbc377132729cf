import type { PeopleDependencies } from '../../users/dependencies.ts';

export interface SessionDependencies {
  readonly people: PeopleDependencies;
}
