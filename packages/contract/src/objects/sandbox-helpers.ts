import { type Static, Type } from 'typebox';

/** Ten years at once: far beyond every deadline, and every date stays a sensible one. */
export const ClockAdvance = Type.Object(
  { seconds: Type.Integer({ minimum: 1, maximum: 315_360_000 }) },
  { $id: 'ClockAdvance' },
);

export const TestClock = Type.Object(
  { object: Type.Literal('test_clock'), now: Type.String({ format: 'date-time' }) },
  { $id: 'TestClock' },
);

export const approvalOutcomes = ['approved', 'declined', 'failed', 'abandoned'] as const;
export type ApprovalOutcome = (typeof approvalOutcomes)[number];

/** What the buyer does; `approved` where nothing is said. */
export const PaymentApprove = Type.Object(
  { outcome: Type.Optional(Type.Enum([...approvalOutcomes])) },
  { $id: 'PaymentApprove' },
);
export type PaymentApprove = Static<typeof PaymentApprove>;
