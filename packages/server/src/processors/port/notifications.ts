/** Notifications of the upstreams, and how they are received. */
import type { NoAnswer, UpstreamIds } from './answers.ts';
import type { SettledOutcome } from './charge.ts';
import type { DisputeFacts } from './disputes.ts';
import type { SavedInstrument } from './instruments.ts';
import type { RefundFailure } from './refunds.ts';

/** Where a processor sends an account's notifications to, below our own address. @param account its id, or a route's parameter */
export const notificationPath = (processor: `processor_${string}`, account: string): string =>
  `/processors/${processor.replace('processor_', '')}/notifications/${account}`;

/** The processor and the account that `notificationPath` put into a path; null of any other path. */
export function readNotificationPath(
  path: string,
): { readonly processor: `processor_${string}`; readonly account: string } | null {
  const [, letter, account] = /^\/processors\/([a-z])\/notifications\/([^/]+)$/.exec(path) ?? [];
  if (letter === undefined || account === undefined) return null;
  return { processor: `processor_${letter}`, account };
}

/** A delivery as it arrived. Header names in lower case. */
export interface NotificationRequest {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

/** One notification whose signature was verified. */
export interface ReceivedNotification {
  /** Unique among this upstream's notifications to the account; repeats have the same. At most 255 characters. */
  readonly id: string;
  /** The upstream's name of the event. */
  readonly type: string;
  /** As sent, for `interpretNotification`. */
  readonly body: unknown;
}

export type NotificationIntake =
  | { readonly kind: 'accepted'; readonly notifications: readonly ReceivedNotification[] }
  /** Forged, for another account or mode, or not in the upstream's form. `reason` is for logs and carries no data. */
  | { readonly kind: 'refused'; readonly reason: string }
  /** It could not be verified now: the upstream has to send it again. */
  | NoAnswer;

/** What a notification means for one of our objects. */
export type NotificationEffect =
  | {
      readonly kind: 'payment_settled';
      readonly paymentId: string;
      readonly amount: number;
      readonly currency: string;
      readonly outcome: SettledOutcome;
    }
  /** Nothing of the payment is authorised upstream any more, and what was charged goes back. */
  | { readonly kind: 'payment_cancelled'; readonly paymentId: string }
  /** The upstream could not cancel it: it was charged, or is not known there. */
  | { readonly kind: 'payment_not_cancelled'; readonly paymentId: string }
  /** What was offered to the buyer upstream is closed unpaid: nobody can pay it any more. */
  | { readonly kind: 'payment_offer_closed'; readonly paymentId: string; readonly payment: UpstreamIds }
  /** Something changed; a look-up is needed to know what. */
  | {
      readonly kind: 'payment_changed';
      readonly paymentId: string;
      /** The upstream's ids of the payment, as far as it names them. */
      readonly payment: UpstreamIds;
    }
  /** A token for what a payment saved, which came later than its answer. */
  | {
      readonly kind: 'instrument_saved';
      /** Our `pay_` id, else the upstream's id of the payment. */
      readonly paymentId: string | null;
      readonly payment: UpstreamIds;
      readonly saved: SavedInstrument;
    }
  /** The upstream keeps it no longer, or must not charge it any more. */
  | { readonly kind: 'instrument_removed'; readonly token: string }
  | {
      readonly kind: 'refund_settled';
      /** Our `re_` id; null for a refund that was made elsewhere. */
      readonly refundId: string | null;
      readonly upstreamId: string;
      readonly paymentId: string | null;
      readonly payment: UpstreamIds;
      readonly amount: number;
      readonly currency: string;
      readonly outcome: 'succeeded' | RefundFailure;
    }
  /** Something against a payment that was settled: somebody has to look. */
  | {
      readonly kind: 'payment_alert';
      readonly alert: 'capture_failed' | 'capture_reversed' | 'fraud_reported';
      /** Our `pay_` id where the upstream repeats it. */
      readonly paymentId: string | null;
      /** The upstream's ids of the payment. A capture of another id is not the payment's: then nothing is meant. */
      readonly payment: UpstreamIds;
      /** What was taken back, in minor units; absent: the upstream does not say, and means all of it. */
      readonly taken?: { readonly amount: number; readonly currency: string };
    }
  | { readonly kind: 'dispute'; readonly facts: DisputeFacts }
  /** Known and of no consequence, or unknown. */
  | { readonly kind: 'none' };
