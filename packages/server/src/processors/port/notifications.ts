/** Notifications from the upstreams, and how they are received. */
import type { NoAnswer, UpstreamIds } from './answers.ts';
import type { SettledOutcome } from './charge.ts';
import type { DisputeFacts } from './disputes.ts';
import type { SavedInstrument } from './instruments.ts';
import type { RefundFailure } from './refunds.ts';

/**
 * Path on our server to which a processor sends an account's notifications.
 * @param account the account's id, or a route parameter
 */
export const notificationPath = (processor: `processor_${string}`, account: string): string =>
  `/processors/${processor.replace('processor_', '')}/notifications/${account}`;

/** Reads the processor and the account from a path made by `notificationPath`; null for any other path. */
export function readNotificationPath(
  path: string,
): { readonly processor: `processor_${string}`; readonly account: string } | null {
  const [, letter, account] = /^\/processors\/([a-z])\/notifications\/([^/]+)$/.exec(path) ?? [];
  if (letter === undefined || account === undefined) return null;
  return { processor: `processor_${letter}`, account };
}

/** A notification request as it arrived. Header names are in lower case. */
export interface NotificationRequest {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

/** One notification with a verified signature. */
export interface ReceivedNotification {
  /** Unique among this upstream's notifications to the account. A repeated delivery has the same id. At most 255 characters. */
  readonly id: string;
  /** The upstream's name for the event. */
  readonly type: string;
  /** The body as sent, for `interpretNotification`. */
  readonly body: unknown;
}

export type NotificationIntake =
  | { readonly kind: 'accepted'; readonly notifications: readonly ReceivedNotification[] }
  /** Forged, meant for another account or mode, or malformed. `reason` is for logs and carries no data. */
  | { readonly kind: 'refused'; readonly reason: string }
  /** Verification is not possible at the moment: the upstream has to send it again. */
  | NoAnswer;

/** The effect of a notification on one of our objects. */
export type NotificationEffect =
  | {
      readonly kind: 'payment_settled';
      readonly paymentId: string;
      readonly amount: number;
      readonly currency: string;
      readonly outcome: SettledOutcome;
      /**
       * The issuer declined only because the buyer was not authenticated. That settles nothing if the charge requests
       * authentication automatically: the adapter then sends it again with a challenge.
       */
      readonly asksForAuthentication?: true;
    }
  /** Nothing of the payment remains authorized at the upstream, and what was charged is given back. */
  | { readonly kind: 'payment_cancelled'; readonly paymentId: string }
  /** The upstream could not cancel the payment: it was charged, or is not known there. */
  | { readonly kind: 'payment_not_cancelled'; readonly paymentId: string }
  /** The upstream closed the buyer's offer unpaid: nobody can pay it any more. */
  | { readonly kind: 'payment_offer_closed'; readonly paymentId: string; readonly payment: UpstreamIds }
  /** Something about the payment changed; only a look-up shows what. */
  | {
      readonly kind: 'payment_changed';
      readonly paymentId: string;
      /** The upstream's ids of the payment, as far as the notification names them. */
      readonly payment: UpstreamIds;
    }
  /** The token of an instrument that a payment saved; it arrives after the payment's response. */
  | {
      readonly kind: 'instrument_saved';
      /** Our `pay_` id; if null, `payment` has the upstream's ids of the payment. */
      readonly paymentId: string | null;
      readonly payment: UpstreamIds;
      readonly saved: SavedInstrument;
    }
  /** The upstream no longer stores the instrument, or must not charge it any more. */
  | { readonly kind: 'instrument_removed'; readonly token: string }
  | {
      readonly kind: 'refund_settled';
      /** Our `re_` id; null for a refund made outside Till. */
      readonly refundId: string | null;
      readonly upstreamId: string;
      readonly paymentId: string | null;
      readonly payment: UpstreamIds;
      readonly amount: number;
      readonly currency: string;
      readonly outcome: 'succeeded' | RefundFailure;
    }
  /** Something happened to a settled payment that a person has to look at. */
  | {
      readonly kind: 'payment_alert';
      readonly alert: 'capture_failed' | 'capture_reversed' | 'fraud_reported';
      /** Our `pay_` id, if the upstream repeats it. */
      readonly paymentId: string | null;
      /**
       * The upstream's ids of the payment. If the capture id differs from the payment's, the alert is about another attempt
       * and is ignored.
       */
      readonly payment: UpstreamIds;
      /** The reversed amount in minor units; absent: the upstream names none and means the whole amount. */
      readonly taken?: { readonly amount: number; readonly currency: string };
    }
  | { readonly kind: 'dispute'; readonly facts: DisputeFacts }
  /** A known event without consequences, or an unknown one. */
  | { readonly kind: 'none' };
