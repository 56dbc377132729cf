export interface CaptureDirective {
  readonly case: string;
  readonly value: string;
  readonly outcome: string;
}

/** Every name that makes a processor speak against a payment that it settled; simulators and documentation read this one table. */
export const captureDirectives = [
  {
    case: 'N1',
    value: 'SIM-CAPTURE-FAILED',
    outcome:
      'Charged; 5 seconds later the processor reports that the capture failed: the payment stays succeeded, the dashboard and a mail report it',
  },
] as const satisfies readonly CaptureDirective[];

/** As `captureDirectives`, of processor_b. */
export const reversalDirective = {
  case: 'N2',
  value: 'SIM-CAPTURE-REVERSED',
  outcome:
    'Charged; 5 seconds later the processor reports that the money was taken back: the payment stays succeeded, the dashboard and a mail report it',
} as const satisfies CaptureDirective;

/** After how long the processor speaks against a payment. */
export const captureFailsMs = 5_000;

/** Whether a text is the directive that lets the capture fail afterwards. */
export const isCaptureFailure = (text: string): boolean => text === captureDirectives[0].value;
