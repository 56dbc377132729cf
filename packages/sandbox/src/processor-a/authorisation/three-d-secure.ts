import type { BuyerOutcome } from '../../buyer/virtual-buyer.ts';
import type { Brand, Challenge, FrictionlessResult } from '../../directives/cards.ts';
import type { Refusal } from './refusals.ts';

/**
 * The fields that 3-D Secure adds to a response (Adyen Checkout API v71, PaymentResponse.threeDS2Result and
 * additionalData).
 */
export interface Authentication {
  readonly additionalData: Readonly<Record<string, string>>;
  readonly threeDS2Result?: Readonly<Record<string, string>>;
  /** Present if authentication ends the payment, before the issuer is asked to authorise the amount. */
  readonly refusal?: Refusal;
}

const version = '2.2.0';

/** The ECI values. Mastercard's differ from those of all other schemes (EMV 3-D Secure, ECI). */
const eci = {
  full: (brand: Brand) => (brand === 'mastercard' ? '02' : '05'),
  attempt: (brand: Brand) => (brand === 'mastercard' ? '01' : '06'),
  none: (brand: Brand) => (brand === 'mastercard' ? '00' : '07'),
};

const notAuthenticated: Refusal = {
  resultCode: 'Refused',
  refusalReasonCode: '11',
  refusalReason: '3D Not Authenticated',
  refusalReasonRaw: '3D Not Authenticated',
};

const authenticationError: Refusal = {
  resultCode: 'Refused',
  refusalReasonCode: '42',
  refusalReason: '3DS Authentication Error',
  refusalReasonRaw: '3DS Authentication Error',
};

/** The fields of a payment without 3-D Secure (Adyen's example `post-payments-split-balanceplatform-200`). */
export const notOffered: Authentication['additionalData'] = {
  liabilityShift: 'false',
  threeDOffered: 'false',
  threeDOfferedResponse: 'N/A',
  threeDAuthenticated: 'false',
  threeDAuthenticatedResponse: 'N/A',
};

function shifted(transStatus: 'Y' | 'A', indicator: string): Authentication {
  return {
    additionalData: {
      liabilityShift: 'true',
      threeDOffered: 'true',
      threeDOfferedResponse: 'Y',
      threeDAuthenticated: 'true',
      threeDAuthenticatedResponse: transStatus,
      threeDSVersion: version,
      eci: indicator,
    },
    threeDS2Result: { transStatus, eci: indicator, messageVersion: version },
  };
}

function stopped(transStatus: 'N' | 'R' | 'U', transStatusReason: string, indicator: string): Authentication {
  return {
    additionalData: {
      liabilityShift: 'false',
      threeDOffered: 'true',
      threeDOfferedResponse: 'Y',
      threeDAuthenticated: 'false',
      threeDAuthenticatedResponse: transStatus,
      threeDSVersion: version,
      eci: indicator,
    },
    threeDS2Result: { transStatus, transStatusReason, eci: indicator, messageVersion: version },
    refusal: notAuthenticated,
  };
}

function lookupUnavailable(demanded: boolean): Authentication {
  return {
    additionalData: {
      liabilityShift: 'false',
      threeDOffered: 'true',
      threeDOfferedResponse: 'U',
      threeDAuthenticated: 'false',
    },
    ...(demanded ? { refusal: authenticationError } : {}),
  };
}

const outcomes: Readonly<Record<FrictionlessResult, (brand: Brand, demanded: boolean) => Authentication>> = {
  authenticated: (brand) => shifted('Y', eci.full(brand)),
  attempted: (brand) => shifted('A', eci.attempt(brand)),
  failed: (brand) => stopped('N', '01', eci.none(brand)),
  rejected: (brand) => stopped('R', '11', eci.none(brand)),
  unavailable: (brand) => stopped('U', '22', eci.none(brand)),
  not_enrolled: (_brand, demanded) => lookupUnavailable(demanded),
};

/** The issuer's result of an authentication without a challenge (EMV 3-D Secure, transStatus). */
export function authenticate(result: FrictionlessResult, brand: Brand, demanded: boolean): Authentication {
  return outcomes[result](brand, demanded);
}

/** The result if the cardholder left the challenge before its end (EMV 3-D Secure, challengeCancel 01). */
function cancelled(brand: Brand): Authentication {
  const indicator = eci.none(brand);
  return {
    ...stopped('N', '26', indicator),
    threeDS2Result: { transStatus: 'N', challengeCancel: '01', eci: indicator, messageVersion: version },
  };
}

/** The issuer's result of a challenge. Some cards have a fixed result, whatever the cardholder does. */
export function afterChallenge(challenge: Challenge, outcome: BuyerOutcome, brand: Brand): Authentication {
  if (challenge === 'fails') return stopped('N', '01', eci.none(brand));
  if (challenge === 'unavailable') return stopped('U', '22', eci.none(brand));
  if (outcome === 'approved') return shifted('Y', eci.full(brand));
  return outcome === 'abandoned' ? cancelled(brand) : stopped('N', '01', eci.none(brand));
}
