import { type Static, Type } from 'typebox';
import { ObjectName } from '../primitives/common.ts';

/**
 * At most ten years per call: far beyond every deadline, but few enough for all dates to remain reasonable.
 */
export const ClockAdvance = Type.Object(
  {
    seconds: Type.Integer({
      minimum: 1,
      maximum: 315_360_000,
      description: 'How far the clock of the account moves forward.',
    }),
  },
  { $id: 'ClockAdvance' },
);

export const TestClock = Type.Object(
  {
    object: ObjectName('test_clock'),
    now: Type.String({ format: 'date-time', description: 'The time of the account, ISO 8601 in UTC.' }),
  },
  { $id: 'TestClock' },
);

export const approvalOutcomes = ['approved', 'declined', 'failed', 'abandoned'] as const;
export type ApprovalOutcome = (typeof approvalOutcomes)[number];

/** What the buyer does. Default: `approved`. */
export const PaymentApprove = Type.Object(
  {
    outcome: Type.Optional(
      Type.Enum([...approvalOutcomes], {
        description: 'What the buyer does; `approved` where it is left out.',
      }),
    ),
  },
  { $id: 'PaymentApprove' },
);
export type PaymentApprove = Static<typeof PaymentApprove>;
