import type { FailureCode, ThreeDSecure } from '@till/contract';
import { type JsonObject, jsonObject, jsonText } from '../../wire/json.ts';

/** 3-D Secure data of a response, with letters and codes as EMV 3-D Secure defines them. */
export interface AuthenticationResult {
  /** Result of the directory server. */
  readonly enrolled: string | null;
  /** Result that the card scheme recorded for the payment. */
  readonly authenticated: string | null;
  readonly liabilityShift: string | null;
  readonly transStatus: string | null;
  readonly transStatusReason: string | null;
  readonly challengeCancel: string | null;
}

/** Reads the authentication result from a response of `/payments` (Adyen API, PaymentResponse). */
export function authenticationResult(answer: JsonObject): AuthenticationResult {
  const additional = jsonObject(answer.additionalData);
  const result = jsonObject(answer.threeDS2Result);
  return {
    enrolled: resultIn(additional, 'threeDOfferedResponse'),
    authenticated: resultIn(additional, 'threeDAuthenticatedResponse'),
    liabilityShift: resultIn(additional, 'liabilityShift'),
    transStatus: resultIn(result, 'transStatus'),
    transStatusReason: resultIn(result, 'transStatusReason'),
    challengeCancel: resultIn(result, 'challengeCancel'),
  };
}

/** A payment without 3-D Secure has the same members with the value "N/A", which is no result. */
function resultIn(object: JsonObject, name: string): string | null {
  const text = jsonText(object, name);
  return text?.toUpperCase() === 'N/A' ? null : text;
}

/**
 * Builds our API's `three_d_secure` object; null if 3-D Secure did not run. A `liabilityShift: false` also appears on
 * payments that were never authenticated, so alone it is no result.
 */
export function threeDSecure(result: AuthenticationResult): ThreeDSecure | null {
  const authenticationStatus = result.authenticated ?? result.transStatus;
  const shifted = result.liabilityShift?.toLowerCase();
  if (result.enrolled === null && authenticationStatus === null && shifted !== 'true') return null;
  return {
    liability_shift: shiftNames.get(shifted ?? '') ?? 'UNKNOWN',
    ...(result.enrolled === null ? {} : { enrollment_status: result.enrolled }),
    ...(authenticationStatus === null ? {} : { authentication_status: authenticationStatus }),
  };
}

const shiftNames: ReadonlyMap<string, string> = new Map([
  ['true', 'POSSIBLE'],
  ['false', 'NO'],
]);

/** Cancelled by the cardholder, abandoned, or timed out at the issuer or on the device. */
const abandonedCancels: ReadonlySet<string> = new Set(['01', '03', '04', '05', '08']);
/** Timed out at the issuer's server; attempted but not performed by the cardholder. */
const abandonedReasons: ReadonlySet<string> = new Set(['14', '26']);
/** Card not enrolled; technical fault at the issuer's server. */
const unavailableReasons: ReadonlySet<string> = new Set(['13', '20', '22']);

/**
 * Why an authentication did not succeed, for the refusal "3D Not Authenticated" (EMV 3-D Secure, transStatus,
 * transStatusReason and challengeCancel). `afterChallenge`: the buyer was sent to a challenge before.
 */
export function authenticationFailure(result: AuthenticationResult, afterChallenge: boolean): FailureCode {
  const status = result.transStatus ?? result.authenticated ?? '';
  if (
    abandonedCancels.has(result.challengeCancel ?? '') ||
    abandonedReasons.has(result.transStatusReason ?? '')
  ) {
    return '3ds_abandoned';
  }
  if (afterChallenge && (status === 'N' || status === 'R')) return '3ds_failed';
  const unavailable =
    status === 'U' ||
    result.enrolled === 'N' ||
    result.enrolled === 'U' ||
    unavailableReasons.has(result.transStatusReason ?? '');
  return unavailable ? '3ds_not_available' : '3ds_failed';
}
