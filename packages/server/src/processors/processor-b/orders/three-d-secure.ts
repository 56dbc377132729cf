import type { FailureCode, ThreeDSecure } from '@till/contract';
import type { AuthenticationDemand } from '../../port/port.ts';
import { type JsonObject, jsonObject, jsonText } from '../../wire/json.ts';

/** `payment_source.card.authentication_result`, with the values that the upstream reported. */
export interface AuthenticationResult {
  readonly enrollment: string | null;
  readonly authentication: string | null;
  readonly liabilityShift: string | null;
}

/** Reads the result from an order's card; null if 3-D Secure did not run. */
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

/** Builds the API's `three_d_secure` object, with the upstream's strings unchanged. */
export function threeDSecure(result: AuthenticationResult | null): ThreeDSecure | null {
  if (result === null) return null;
  return {
    liability_shift: result.liabilityShift ?? 'UNKNOWN',
    ...(result.enrollment === null ? {} : { enrollment_status: result.enrollment }),
    ...(result.authentication === null ? {} : { authentication_status: result.authentication }),
  };
}

/** Charge, ask the buyer again, or fail with this code. */
export type Verdict = 'proceed' | 'wait' | FailureCode;

interface Row {
  /** Accepted values, separated by spaces; `-` stands for an absent value. An absent member accepts any value. */
  readonly enrollment?: string;
  readonly authentication?: string;
  readonly liabilityShift?: string;
  readonly verdict: Verdict;
  /** The verdict if the merchant requires authentication. */
  readonly always?: Verdict;
}

/**
 * Decision table for an authentication result; the first matching row applies. Charging without a liability shift is the
 * merchant's choice, so it proceeds only if the card does not take part in 3-D Secure (PayPal REST docs, "3D Secure response
 * parameters").
 */
const rows: readonly Row[] = [
  { authentication: 'N R', verdict: '3ds_failed' },
  { authentication: 'U', verdict: '3ds_not_available' },
  // A challenge, possibly a decoupled one, that the buyer has not finished.
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

/** Decides whether an approved card order may be charged. Without a result it may: no authentication was requested. */
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
 * The failure of an order that still waits for the buyer, or undefined. At that point only a liability shift of NO is final:
 * before the challenge is over the result may be UNKNOWN.
 */
export function finalFailure(
  result: AuthenticationResult | null,
  demand: AuthenticationDemand,
): FailureCode | undefined {
  const verdict = authenticationVerdict(result, demand);
  const final = result?.liabilityShift === 'NO' && verdict !== 'proceed' && verdict !== 'wait';
  return final ? verdict : undefined;
}
