import type { FailureCode } from '@till/contract';
import { type AuthenticationResult, authenticationFailure } from './three-d-secure.ts';

/** The upstream's data about a payment that it did not authorize. */
export interface Refusal {
  readonly resultCode: 'Refused' | 'Error' | 'Cancelled';
  readonly reasonCode: string | null;
  /** The acquirer's own text, if the account is configured to report it. */
  readonly rawReason: string | null;
  /** Our name for the card's brand; null if the response names none. */
  readonly brand: string | null;
  readonly authentication: AuthenticationResult;
  /** The buyer was sent to a 3-D Secure challenge before this response. */
  readonly afterChallenge: boolean;
}

/** Maps `refusalReasonCode` to our failure code (Adyen docs, "Refusal reasons"); 11 and 15 depend on more than the code. */
const reasonCodes: ReadonlyMap<string, FailureCode> = new Map(
  Object.entries<FailureCode>({
    0: 'declined', // unknown
    2: 'refused',
    3: 'refused', // referral
    4: 'declined', // acquirer error
    5: 'restricted_card', // blocked card
    6: 'expired_card',
    7: 'declined', // invalid amount
    8: 'invalid_card',
    9: 'declined', // issuer unavailable
    10: 'restricted_card', // not supported
    12: 'insufficient_funds',
    14: 'refused', // acquirer fraud
    16: '3ds_abandoned', // shopper cancelled
    17: 'declined', // invalid PIN
    18: 'declined', // PIN tries exceeded
    19: 'declined', // PIN validation not possible
    20: 'refused', // fraud, by the upstream's risk engine
    21: 'declined', // not submitted
    22: 'refused', // fraud-cancelled
    23: 'restricted_card', // transaction not permitted
    24: 'invalid_cvv',
    25: 'restricted_card',
    26: 'refused', // revocation of authorisation
    27: 'declined', // declined non generic
    28: 'insufficient_funds', // withdrawal amount exceeded
    29: 'declined', // withdrawal count exceeded
    31: 'refused', // issuer suspected fraud
    32: 'refused', // AVS declined
    33: 'declined', // 33 to 37, 41 and 43 to 45: PIN, account and terminal reasons
    34: 'declined',
    35: 'declined',
    36: 'declined',
    37: 'declined',
    38: 'refused', // authentication required
    39: '3ds_abandoned', // no result from the directory server
    40: 'declined', // AID blocked
    41: 'declined',
    42: '3ds_not_available', // 3DS authentication error
    43: 'declined',
    44: 'declined',
    45: 'declined',
    46: 'refused', // blocked to prevent excessive retry fees
    50: 'refused', // token revoked
  }),
);

const notAuthenticated = '11';
const cancelled = '15';
const revocation = '26';
const tokenRevoked = '50';
const stopPayments: ReadonlySet<string> = new Set(['R0', 'R1', 'R3']);
/** Reasons of refusals before any acquirer was asked: a raw reason in such a response is not an issuer's answer. */
const beforeAuthorisation: ReadonlySet<string> = new Set([notAuthenticated, '16', '39', '42']);

interface RawCodeRow {
  readonly codes: string;
  readonly failure: FailureCode;
  /** The code has another meaning for other brands. */
  readonly brand?: 'mastercard';
}

/** Network response code at the start of the raw reason, e.g. `51 : Insufficient funds` (ISO 8583, field 39). */
const rawCodes: readonly RawCodeRow[] = [
  { codes: '05', failure: 'do_not_honor' },
  { codes: '51 61', failure: 'insufficient_funds' },
  { codes: '54 33', failure: 'expired_card' },
  { codes: '14 15 46 78', failure: 'invalid_card' },
  { codes: 'N7 82', failure: 'invalid_cvv' },
  { codes: '63', failure: 'invalid_cvv', brand: 'mastercard' },
  { codes: '41', failure: 'lost_card' },
  { codes: '43', failure: 'stolen_card' },
  { codes: '04 07 34 35 67', failure: 'pickup_card' },
  { codes: '36 57 58 62 93', failure: 'restricted_card' },
  { codes: '59 83', failure: 'refused' },
  { codes: '1A', failure: 'refused' }, // authentication required
  { codes: '65', failure: 'refused', brand: 'mastercard' }, // authentication required
  { codes: 'R0 R1 R3', failure: 'refused' }, // stop payment
];

/** Words of a raw reason. The first match counts, so lost and stolen precede the pick-up that both also ask for. */
const rawWords: readonly (readonly [pattern: RegExp, failure: FailureCode])[] = [
  [/do not hono/i, 'do_not_honor'],
  [/insufficient|over credit limit/i, 'insufficient_funds'],
  [/expired/i, 'expired_card'],
  [/invalid account|no such issuer/i, 'invalid_card'],
  [/cvv|cvc|card verification/i, 'invalid_cvv'],
  [/lost card/i, 'lost_card'],
  [/stolen card/i, 'stolen_card'],
  [/pick[ -]?up/i, 'pickup_card'],
  [/restricted|not permitted/i, 'restricted_card'],
  [/suspected fraud|security/i, 'refused'],
  [/authentication required/i, 'refused'],
  [/stop payment|revocation/i, 'refused'],
];

/** The failure code of a refusal: from the acquirer's raw reason, which is the most precise, else from the upstream's code. */
export function refusalFailure(refusal: Refusal): FailureCode {
  const code = refusal.reasonCode ?? '';
  const raw = beforeAuthorisation.has(code) ? undefined : rawFailure(refusal.rawReason ?? '', refusal.brand);
  if (raw !== undefined) return raw;
  if (code === notAuthenticated) return authenticationFailure(refusal.authentication, refusal.afterChallenge);
  if (code === cancelled || (refusal.resultCode === 'Cancelled' && code === '')) {
    return refusal.afterChallenge ? '3ds_abandoned' : 'refused';
  }
  return reasonCodes.get(code) ?? (refusal.resultCode === 'Error' ? 'declined' : 'refused');
}

/**
 * Whether the issuer refused only because the buyer was not authenticated: reason 38 (Adyen docs, "Refusal reasons"), and the
 * schemes' own codes and texts for it.
 */
export function asksForAuthentication({ reasonCode, rawReason, brand, authentication }: Refusal): boolean {
  if (authentication.authenticated !== null || authentication.transStatus !== null) return false;
  const code = rawCode(rawReason);
  return (
    reasonCode === '38' ||
    code === '1A' ||
    (code === '65' && brand === 'mastercard') ||
    /authentication required/i.test(rawReason ?? '')
  );
}

/**
 * Whether a stored card must not be charged again: its token was revoked, or its holder forbade charges in their absence.
 * `offSession`: the refused charge was made without the buyer.
 */
export function revokesInstrument({ reasonCode, rawReason }: Refusal, offSession: boolean): boolean {
  const forbidden = reasonCode === revocation || stopPayments.has(rawCode(rawReason) ?? '');
  return reasonCode === tokenRevoked || (offSession && forbidden);
}

function rawFailure(raw: string, brand: string | null): FailureCode | undefined {
  const code = rawCode(raw);
  const row = rawCodes.find(
    (candidate) =>
      code !== undefined &&
      candidate.codes.split(' ').includes(code) &&
      (candidate.brand === undefined || brand === null || brand === candidate.brand),
  );
  return row?.failure ?? rawWords.find(([pattern]) => pattern.test(raw))?.[1];
}

const rawCode = (raw: string | null): string | undefined =>
  /^\s*([0-9A-Z]{2})\s*(?::|$)/i.exec(raw ?? '')?.[1]?.toUpperCase();
