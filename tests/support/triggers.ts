import { cardPayment, target } from './merchant.ts';

/** A row of the published table of test cards and triggers. */
export interface TestTrigger {
  readonly trigger: { readonly field: string; readonly value: string };
  readonly processor: string;
  readonly outcome: string;
  readonly failure_code?: string;
}

/** Returns the table that the server under test publishes. */
export async function publishedTriggers(): Promise<TestTrigger[]> {
  const response = await fetch(`${target().baseUrl}/docs/testing.json`);
  if (response.status !== 200) throw new Error(`/docs/testing.json answers ${response.status}`);
  return (await response.json()) as TestTrigger[];
}

/** A card payment with the trigger's value in the trigger's field. */
export function paymentWith({ trigger }: TestTrigger): Record<string, unknown> {
  const [first = '', second] = trigger.field.split('.');
  if (second === undefined) return cardPayment({ [first]: trigger.value });
  if (first !== 'payment_method') throw new Error(`no rule for a trigger in ${trigger.field}`);
  return cardPayment({ card: { [second]: trigger.value } });
}

/** Whether the trigger is a fault of the connection to the processor, which has no outcome of its own. */
export const isFault = ({ trigger }: TestTrigger): boolean =>
  /^SIM-(\d|TIMEOUT|DROP|SLOW|MISSING)/.test(trigger.value);
