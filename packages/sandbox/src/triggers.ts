import { simulators } from './simulators.ts';
import type { Trigger } from './trigger-rows.ts';

export type { Trigger } from './trigger-rows.ts';

/** The one table of test cards and triggers: made of the very rows that the simulators act on. */
export const triggers: readonly Trigger[] = Object.values(simulators).flatMap(({ triggers: rows }) => rows);
