import type { Ledger } from '@till/sandbox';
import {
  compareRecords,
  type DifferenceKind,
  type RecordedPayment,
  type RecordedRefund,
} from '../../packages/server/src/reconcile/differences.ts';
import type { Exchanged } from './client.ts';

/** The counters of faults, all of which have to be zero after every run. */
export const counterNames = [
  'double charged',
  'charged, not succeeded',
  'succeeded, not charged',
  'event missing',
  'event duplicated',
  'reply differing',
  'internal error',
  'declined without a decline',
  'dispute differing',
] as const;
export type CounterName = (typeof counterNames)[number];

/** One fault and its counter. */
export interface Finding {
  readonly counter: CounterName;
  readonly detail: string;
}

/** The finding for a response of 500: the server met an unexpected condition. */
export const internalError = (what: unknown): Finding => ({
  counter: 'internal error',
  detail: what instanceof Error ? (what.stack ?? what.message) : String(what),
});

export type EventRecord = { readonly id: string; readonly type: string; readonly object: string };

/** A dispute with its status at Till and at the processor. */
export interface RecordedDispute {
  readonly id: string;
  readonly status: string;
  readonly upstream: string;
}

/** All records of one merchant account, on every side. */
export interface Evidence {
  readonly payments: readonly (RecordedPayment & {
    readonly reference: string | null;
    readonly failure_code: string | null;
  })[];
  readonly refunds: readonly RecordedRefund[];
  readonly disputes: readonly RecordedDispute[];
  /** Customers and saved payment methods. */
  readonly others: readonly { readonly id: string }[];
  readonly ledger: Ledger;
  /** The ids of the payments that an issuer or a buyer declined. */
  readonly declined: ReadonlySet<string>;
  /** The event log. */
  readonly events: readonly EventRecord[];
  /** The events that the merchant's endpoint received. */
  readonly received: readonly EventRecord[];
  readonly exchanged: readonly Exchanged[];
}

const counterOf: Readonly<Record<DifferenceKind, CounterName>> = {
  charged_twice: 'double charged',
  refunded_twice: 'double charged',
  refunded_more_than_paid: 'double charged',
  refund_of_another_payment: 'double charged',
  charge_without_payment: 'charged, not succeeded',
  charged_not_succeeded: 'charged, not succeeded',
  held_not_authorized: 'charged, not succeeded',
  amount_differs: 'charged, not succeeded',
  refund_without_record: 'charged, not succeeded',
  refunded_not_recorded: 'charged, not succeeded',
  refund_amount_differs: 'charged, not succeeded',
  succeeded_not_charged: 'succeeded, not charged',
  authorized_not_held: 'succeeded, not charged',
  recorded_not_refunded: 'succeeded, not charged',
};

/** Finds the faults in the evidence. Before this, every payment and refund must have reached its final state. */
export function findFaults(evidence: Evidence): Finding[] {
  return [
    ...differences(evidence),
    ...paidTwice(evidence),
    ...inventedDeclines(evidence),
    ...differingDisputes(evidence),
    ...eventFaults(evidence),
    ...evidence.exchanged.flatMap((exchanged) => replyFaults(exchanged, evidence)),
  ];
}

const differences = ({ payments, refunds, ledger }: Evidence): Finding[] =>
  compareRecords({ payments, refunds }, ledger).map(({ kind, reference, ours, theirs }) => ({
    counter: counterOf[kind],
    detail: `${reference}: ${kind}, ${ours} here, ${theirs} at the processor`,
  }));

/** Finds requests of the merchant that became two charged payments. */
function paidTwice({ payments, ledger }: Evidence): Finding[] {
  const charged = new Set(
    ledger.charges.filter(({ status }) => status !== 'cancelled').map(({ reference }) => reference),
  );
  const seen = new Set<string>();
  return payments.flatMap(({ id, reference }) => {
    if (reference === null || !charged.has(id)) return [];
    if (!seen.has(reference)) {
      seen.add(reference);
      return [];
    }
    return [{ counter: 'double charged', detail: `${reference}: ${id} is another charged payment of it` }];
  });
}

/** Failure codes that Till may only report if a processor declined the payment. */
const declines: ReadonlySet<string> = new Set([
  'refused',
  'do_not_honor',
  'expired_card',
  'insufficient_funds',
  'invalid_cvv',
  'invalid_card',
  'restricted_card',
  'declined',
  'lost_card',
  'stolen_card',
  'pickup_card',
  '3ds_failed',
]);

const inventedDeclines = ({ payments, declined }: Evidence): Finding[] =>
  payments
    .filter(({ id, failure_code: code }) => code !== null && declines.has(code) && !declined.has(id))
    .map(({ id, failure_code: code }) => ({
      counter: 'declined without a decline',
      detail: `${id} was reported as ${code}, and nobody declined it`,
    }));

/** The processors' states of a dispute that Till takes for accepted after its deadline: they report it differently, or late. */
const acceptedUpstream: ReadonlySet<string> = new Set(['accepted', 'lost', 'action_required']);

const differingDisputes = ({ disputes }: Evidence): Finding[] =>
  disputes
    .filter(({ status, upstream }) => status !== upstream)
    .filter(({ status, upstream }) => status !== 'accepted' || !acceptedUpstream.has(upstream))
    .map(({ id, status, upstream }) => ({
      counter: 'dispute differing',
      detail: `${id} is ${status} here and ${upstream} at the processor`,
    }));

/** Whether an event is delivered to every endpoint. */
const isDelivered = ({ type }: EventRecord) => /^(payment|refund)\.(succeeded|failed)$/.test(type);
const outcomeOf = ({ type, object }: EventRecord) => `${object} ${type}`;

function eventFaults({ payments, refunds, events, received }: Evidence): Finding[] {
  const logged = new Set(events.map(outcomeOf));
  const due = [
    ...payments.map(({ id, status }) => `${id} payment.${status}`),
    ...refunds.filter(({ status }) => status !== 'pending').map(({ id, status }) => `${id} refund.${status}`),
  ];
  const delivered = new Set(received.map(({ id }) => id));
  const missing = [
    ...due.filter((outcome) => !logged.has(outcome)).map((outcome) => `${outcome} is not in the log`),
    ...events
      .filter((event) => isDelivered(event) && !delivered.has(event.id))
      .map((event) => `${outcomeOf(event)} never came to the endpoint`),
  ];
  // An event may be delivered several times, but always with the same id.
  const distinct = new Map([...events, ...received].map((event) => [event.id, event]));
  // A dispute may be updated more than once.
  const outcomes = [...distinct.values()].filter(({ type }) => type !== 'dispute.updated').map(outcomeOf);
  const twice = outcomes.filter((outcome, place) => outcomes.indexOf(outcome) !== place);
  return [
    ...missing.map((detail) => ({ counter: 'event missing' as const, detail })),
    ...twice.map((outcome) => ({ counter: 'event duplicated' as const, detail: `${outcome} came twice` })),
  ];
}

/** The statuses that a payment or refund may reach after a response reported its status. */
const laterStatuses: Readonly<Record<string, readonly string[]>> = {
  requires_action: ['authorized', 'succeeded', 'failed'],
  authorized: ['succeeded', 'failed', 'voided'],
  pending: ['succeeded', 'failed'],
  action_required: ['challenged', 'accepted', 'won', 'lost', 'recovered'],
  challenged: ['won', 'lost', 'recovered', 'action_required'],
};

function replyFaults({ key, path, replies }: Exchanged, evidence: Evidence): Finding[] {
  const [first, ...later] = replies;
  if (first === undefined) return [];
  const fault = (detail: string): Finding[] => [
    { counter: 'reply differing', detail: `${key} ${path}: ${detail}` },
  ];
  if (first.status >= 400) return fault(`refused with ${first.status}: ${first.text}`);
  const other = later.find(({ status, text }) => status !== first.status || text !== first.text);
  if (other !== undefined) {
    return fault(`${first.status} ${first.text} and then ${other.status} ${other.text}`);
  }
  const shown = JSON.parse(first.text) as { id: string; status: string };
  const { payments, refunds, disputes, others } = evidence;
  if (others.some(({ id }) => id === shown.id)) return [];
  const record = [...payments, ...refunds, ...disputes].find(({ id }) => id === shown.id);
  const isTrue =
    record !== undefined &&
    (record.status === shown.status || laterStatuses[shown.status]?.includes(record.status) === true);
  return isTrue ? [] : fault(`answered ${shown.status}, on record is ${record?.status ?? 'nothing'}`);
}

export type Counters = Readonly<Record<CounterName, number>>;

export const noFaults: Counters = countFindings([]);

/** Adds two sets of counters. */
export const addCounters = (one: Counters, other: Counters): Counters =>
  Object.fromEntries(counterNames.map((name) => [name, one[name] + other[name]])) as Counters;

export function countFindings(findings: readonly Finding[]): Counters {
  const counts = Object.fromEntries(counterNames.map((name) => [name, 0])) as Record<CounterName, number>;
  for (const { counter } of findings) counts[counter] += 1;
  return counts;
}
