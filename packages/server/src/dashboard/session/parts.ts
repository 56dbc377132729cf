import type { PeopleParts } from '../../users/parts.ts';

export interface SessionParts {
  readonly people: PeopleParts;
}
