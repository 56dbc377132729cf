import type { FailureCode, ThreeDSecure } from '@till/contract';
import type { AuthenticationDemand } from '../../port/port.ts';
import { type JsonObject, jsonObject, jsonText } from '../../wire/json.ts';

/** `payment_source.card.authentication_result`, values as the upstream reported them. */
export interface AuthenticationResult {
  readonly enrollment: string | null;
  readonly authentication: string | null;
  readonly liabilityShift: string | null;
}

/** Reads the result out of a card of an order; null where no 3-D Secure ran. */
export function authenticationResult(card: JsonObject): AuthenticationResult | null {
  const result = jsonObject(card.authentication_result);
  const statuses = jsonObject(result.three_d_secure);
  const read = {
    enrollment: jsonText(statuses, 'enrollment_status'),
    authentication: jsonText(statuses, 'authentication_status'),
    liabilityShift: jsonText(result, 'liability_shift'),
  };
  return Object.values(read).every((value) => value === null) ? null : read;
}

/** The `three_d_secure` object, strings verbatim. */
export function threeDSecure(result: AuthenticationResult | null): ThreeDSecure | null {
  if (result === null) return null;
  return {
    liability_shift: result.liabilityShift ?? 'UNKNOWN',
    ...(result.enrollment === null ? {} : { enrollment_status: result.enrollment }),
    ...(result.authentication === null ? {} : { authentication_status: result.authentication }),
  };
}

/** Charge, ask the buyer again, or fail with this. */
export type Verdict = 'proceed' | 'wait' | FailureCode;

interface Row {
  /** Accepted values of each, separated by spaces; `-` is an absent one, and no member accepts any. */
  readonly enrollment?: string;
  readonly authentication?: string;
  readonly liabilityShift?: string;
  readonly verdict: Verdict;
  /** Where the merchant insists on authentication. */
  readonly always?: Verdict;
}

/**
 * What to do about a result; the first row that fits counts. Charging without a shift is the merchant's choice, so it
 * goes on only where the card takes no part in 3-D Secure (PayPal REST docs, "3D Secure response parameters").
 */
const rows: readonly Row[] = [
  { authentication: 'N R', verdict: '3ds_failed' },
  { authentication: 'U', verdict: '3ds_not_available' },
  // A challenge, or a decoupled one, that the buyer has not finished.
  { authentication: 'C D', verdict: 'wait' },
  { liabilityShift: 'POSSIBLE YES', verdict: 'proceed' },
  { enrollment: 'B', verdict: 'proceed' },
  { enrollment: 'Y', authentication: '-', verdict: '3ds_abandoned' },
  {
    enrollment: 'N U',
    authentication: '-',
    liabilityShift: 'NO',
    verdict: 'proceed',
    always: '3ds_not_available',
  },
  { authentication: 'Y A', verdict: 'proceed', always: '3ds_not_available' },
  { verdict: '3ds_not_available' },
];

/** Whether an approved card order may be charged. Without a result it may: none was asked for. */
export function authenticationVerdict(
  result: AuthenticationResult | null,
  demand: AuthenticationDemand,
): Verdict {
  if (result === null) return 'proceed';
  const row = rows.find(
    (candidate) =>
      accepts(candidate.enrollment, result.enrollment) &&
      accepts(candidate.authentication, result.authentication) &&
      accepts(candidate.liabilityShift, result.liabilityShift),
  );
  const verdict = row?.verdict ?? '3ds_not_available';
  return demand === 'always' ? (row?.always ?? verdict) : verdict;
}

const accepts = (values: string | undefined, value: string | null): boolean =>
  values === undefined || values.split(' ').includes(value ?? '-');

/**
 * The failure of an order that still waits for the buyer, or undefined. Only an outright NO is final there: before the
 * challenge is over the result may be UNKNOWN.
 */
export function finalFailure(
  result: AuthenticationResult | null,
  demand: AuthenticationDemand,
): FailureCode | undefined {
  const verdict = authenticationVerdict(result, demand);
  const final = result?.liabilityShift === 'NO' && verdict !== 'proceed' && verdict !== 'wait';
  return final ? verdict : undefined;
}
