export interface CaptureDirective {
  readonly case: string;
  readonly value: string;
  readonly outcome: string;
}

/**
 * All directives that make processor_a reverse a payment that it has settled. The simulator and the
 * documentation read this table.
 */
export const captureDirectives = [
  {
    case: 'N1',
    value: 'SIM-CAPTURE-FAILED',
    outcome:
      'Charged; 5 seconds later the processor reports that the capture failed: the payment stays succeeded, the dashboard and a mail report it',
  },
] as const satisfies readonly CaptureDirective[];

/** The directive that makes processor_b reverse a payment, see `captureDirectives`. */
export const reversalDirective = {
  case: 'N2',
  value: 'SIM-CAPTURE-REVERSED',
  outcome:
    'Charged; 5 seconds later the processor reports that the money was taken back: the payment stays succeeded, the dashboard and a mail report it',
} as const satisfies CaptureDirective;

/** How long after the charge the processor reverses the payment. */
export const captureFailsMs = 5_000;

/** Whether a text is the directive that makes the capture fail afterwards. */
export const isCaptureFailure = (text: string): boolean => text === captureDirectives[0].value;
