import { captureDirectives } from '../directives/capture-directives.ts';
import { cardTriggers, directiveTriggers, sharedTriggers, type Trigger } from '../directives/trigger-rows.ts';
import { offerDirective } from './authorisation/challenges.ts';
import { refusalDirectives } from './authorisation/refusals.ts';

const refusalTriggers = refusalDirectives.flatMap((row) =>
  row.values.flatMap((value) =>
    directiveTriggers('processor_a', value, {
      id: row.case,
      outcome: row.outcome,
      ...(row.failureCode === undefined ? {} : { failure_code: row.failureCode }),
    }),
  ),
);

const captureTriggers = captureDirectives.flatMap((row) =>
  directiveTriggers('processor_a', row.value, { id: row.case, outcome: row.outcome }),
);

const offerTriggers = directiveTriggers('processor_a', offerDirective.value, {
  id: offerDirective.case,
  outcome: offerDirective.outcome,
});

/** Every test card and trigger of this processor. */
export const triggers: readonly Trigger[] = [
  ...cardTriggers('processor_a'),
  ...refusalTriggers,
  ...captureTriggers,
  ...offerTriggers,
  ...sharedTriggers('processor_a'),
];
