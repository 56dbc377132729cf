import type { Dispute, DisputeStep } from '../model/dispute.ts';
import { eventId } from '../model/identities.ts';
import type { EventRow } from '../model/instruments.ts';
import { showDispute } from '../present/present-dispute.ts';
import { type EventType, eventView, planEvent } from './events.ts';

const over: ReadonlySet<DisputeStep['status']> = new Set(['won', 'lost', 'recovered', 'accepted']);

function typeOf(dispute: Dispute, step: DisputeStep): EventType {
  if (step === dispute.steps[0]) return 'CUSTOMER.DISPUTE.CREATED';
  return over.has(step.status) ? 'CUSTOMER.DISPUTE.RESOLVED' : 'CUSTOMER.DISPUTE.UPDATED';
}

function keyOf(dispute: Dispute, step: DisputeStep): string {
  return `${dispute.id} ${step.at} ${step.state} ${step.status}`;
}

function isIn(steps: readonly DisputeStep[], { at, state, status }: DisputeStep): boolean {
  return steps.some((step) => step.at === at && step.state === state && step.status === status);
}

/**
 * Builds the events of a dispute's new steps, each due at its step's time.
 * @param before null for a new dispute
 */
export function disputeEvents(before: Dispute | null, after: Dispute): EventRow[] {
  const fresh = after.steps.filter((step) => !isIn(before?.steps ?? [], step));
  return fresh.map((step) => {
    const at = new Date(step.at);
    const resource = showDispute(after, eventView(at)) ?? {};
    const happening = { type: typeOf(after, step), key: keyOf(after, step), resource, at };
    return planEvent(after.merchantAccount, happening, { delayMs: 0, flaw: null });
  });
}

/** Returns the ids of events about steps that the dispute no longer takes. */
export function obsoleteEvents(before: Dispute, after: Dispute): string[] {
  const dropped = before.steps.filter((step) => !isIn(after.steps, step));
  return dropped.map((step) =>
    eventId(before.merchantAccount, `${typeOf(before, step)} ${keyOf(before, step)}`),
  );
}
