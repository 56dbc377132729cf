/** The severity of a state. It determines the colour, which is never the only sign. */
export type Tone = 'good' | 'bad' | 'warn' | 'info' | 'neutral';

export type StatusIcon = 'done' | 'failed' | 'waiting' | 'action' | 'held' | 'stopped' | 'back';

export interface StatusLook {
  readonly word: string;
  readonly tone: Tone;
  readonly icon: StatusIcon;
  /** One sentence that says what the state means. */
  readonly hint: string;
}

const look = (word: string, tone: Tone, icon: StatusIcon, hint: string): StatusLook => ({
  word,
  tone,
  icon,
  hint,
});

const payment = {
  requires_action: look(
    'Waiting for buyer',
    'info',
    'waiting',
    'The buyer has to confirm the payment first.',
  ),
  authorized: look('Authorized', 'warn', 'held', 'The money is held. Capture it to be paid, or void it.'),
  succeeded: look('Succeeded', 'good', 'done', 'The money was collected.'),
  failed: look('Failed', 'bad', 'failed', 'No money was taken.'),
  voided: look('Voided', 'neutral', 'stopped', 'The hold was released. No money was taken.'),
};

const refund = {
  pending: look('Pending', 'info', 'waiting', 'The processor has the refund and has not settled it yet.'),
  succeeded: look('Succeeded', 'good', 'back', 'The money went back to the buyer.'),
  failed: look('Failed', 'bad', 'failed', 'The money did not go back. The amount can be refunded again.'),
};

const approval = {
  pending: look('Waiting', 'warn', 'waiting', 'Somebody who may has to approve or refuse it.'),
  approved: look('Approved', 'good', 'done', 'It was approved and done.'),
  refused: look('Refused', 'neutral', 'stopped', 'Nothing was done.'),
  expired: look('Expired', 'neutral', 'stopped', 'Nobody decided in time. Nothing was done.'),
  failed: look('Approved, not possible', 'bad', 'failed', 'It was approved, but could no longer be done.'),
};

const dispute = {
  new: look('New', 'info', 'waiting', 'The dispute was just opened.'),
  action_required: look('Action required', 'bad', 'action', 'Defend or accept before the deadline.'),
  challenged: look('Challenged', 'info', 'waiting', 'Your defence is with the issuer.'),
  recovered: look('Recovered', 'good', 'back', 'The money came back after the dispute was lost.'),
  accepted: look('Accepted', 'neutral', 'stopped', 'The dispute was accepted. The money went to the buyer.'),
  lost: look('Lost', 'bad', 'failed', 'The issuer decided for the buyer.'),
  won: look('Won', 'good', 'done', 'The issuer decided for you.'),
};

const delivery = {
  pending: look('Pending', 'info', 'waiting', 'The next attempt is planned.'),
  succeeded: look('Delivered', 'good', 'done', 'The endpoint answered with a 2xx status.'),
  delivered: look('Delivered', 'good', 'done', 'The endpoint answered with a 2xx status.'),
  failed: look('Failed', 'bad', 'failed', 'Every attempt failed. You can resend it.'),
};

const endpoint = {
  enabled: look('Enabled', 'good', 'done', 'Events are delivered.'),
  disabled: look('Disabled', 'neutral', 'stopped', 'Nothing is delivered.'),
  failing: look('Failing', 'bad', 'action', 'The latest deliveries failed.'),
};

const key = {
  active: look('Active', 'good', 'done', 'The key works.'),
  revoked: look('Revoked', 'neutral', 'stopped', 'Requests with this key are refused.'),
  expired: look('Expired', 'neutral', 'stopped', 'It was rolled. Requests with this key are refused.'),
};

const link = {
  active: look('Active', 'good', 'done', 'Buyers can pay.'),
  inactive: look('Off', 'neutral', 'stopped', 'It is switched off: nobody can pay.'),
  completed: look('Completed', 'info', 'done', 'It has been paid as often as it can be.'),
  expired: look('Expired', 'neutral', 'stopped', 'Its last day is over: nobody can pay.'),
};

export const statuses = { payment, approval, refund, dispute, delivery, endpoint, key, link } as const;
export type StatusKind = keyof typeof statuses;

/** The label and look of a state; an unknown state is shown by its own name. */
export function statusLook(kind: StatusKind, status: string): StatusLook {
  const known: Readonly<Record<string, StatusLook>> = statuses[kind];
  return known[status] ?? look(status.replaceAll('_', ' '), 'neutral', 'waiting', '');
}
