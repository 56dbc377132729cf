import type { BuyerOutcome } from '../../buyer/virtual-buyer.ts';
import type { FrictionlessResult, TestCard } from '../../directives/cards.ts';
import type { Authentication } from './order.ts';

/** Whether the order asks for 3-D Secure (PayPal Orders v2, card verification method). */
export type Verification = 'none' | 'when_required' | 'always';

export function readVerification(method: unknown): Verification {
  if (method === 'SCA_ALWAYS') return 'always';
  return method === 'SCA_WHEN_REQUIRED' || method === '3D_SECURE' ? 'when_required' : 'none';
}

function result(
  liability_shift: Authentication['liability_shift'],
  enrollment_status: Authentication['three_d_secure']['enrollment_status'],
  authentication_status?: Authentication['three_d_secure']['authentication_status'],
): Authentication {
  return {
    liability_shift,
    three_d_secure: {
      enrollment_status,
      ...(authentication_status === undefined ? {} : { authentication_status }),
    },
  };
}

/** PayPal docs, "3D Secure response parameters" and "3D Secure test scenarios". */
const frictionless: Readonly<Record<FrictionlessResult, Authentication>> = {
  authenticated: result('POSSIBLE', 'Y', 'Y'),
  attempted: result('POSSIBLE', 'Y', 'A'),
  failed: result('NO', 'Y', 'N'),
  rejected: result('NO', 'Y', 'R'),
  unavailable: result('NO', 'Y', 'U'),
  not_enrolled: result('NO', 'U'),
};

/** Response codes of a payment that 3-D Secure stops (PayPal Orders v2, processor_response.response_code). */
const authenticationFailed = '7710';
const authenticationUnavailable = '7700';

function stop(authentication: Authentication, verification: Verification): string | null {
  const { enrollment_status, authentication_status } = authentication.three_d_secure;
  if (authentication_status === 'N' || authentication_status === 'R') return authenticationFailed;
  if (authentication_status === 'U') return authenticationUnavailable;
  const impossible = enrollment_status !== 'Y' && verification === 'always';
  return impossible ? authenticationUnavailable : null;
}

export interface Verified {
  readonly authentication: Authentication | null;
  /** The response code with which the payment ends. Null if it may be charged. */
  readonly stoppedBy: string | null;
  /** The challenge that the buyer has to pass first. Null or undefined if there is none. */
  readonly challenge: TestCard['challenge'] | null;
}

/**
 * Returns the result of 3-D Secure for a card. A number that is not a test card is never authenticated, since
 * it is declined anyway.
 */
export function verify(
  card: Pick<TestCard, 'frictionless' | 'challenge'> | undefined,
  verification: Verification,
): Verified {
  const plain: Verified = { authentication: null, stoppedBy: null, challenge: null };
  if (card === undefined || verification === 'none') return plain;
  if (card.frictionless !== undefined) {
    const authentication = frictionless[card.frictionless];
    return { authentication, stoppedBy: stop(authentication, verification), challenge: null };
  }
  if (card.challenge !== undefined) return { ...plain, challenge: card.challenge };
  return verification === 'always' ? { ...plain, challenge: 'buyer' } : plain;
}

/**
 * Returns the result of a challenge. `ended` is false if the page sends the buyer to the shop's cancel URL
 * rather than its return URL.
 */
export function answerChallenge(
  challenge: NonNullable<TestCard['challenge']>,
  outcome: BuyerOutcome,
): { readonly authentication: Authentication; readonly stoppedBy: string | null; readonly ended: boolean } {
  const ending = (authentication: Authentication) => ({
    authentication,
    stoppedBy: stop(authentication, 'always'),
    ended: true,
  });
  if (challenge === 'fails') return ending(result('NO', 'Y', 'N'));
  if (challenge === 'unavailable') return ending(result('NO', 'Y', 'U'));
  if (outcome === 'approved') return ending(result('POSSIBLE', 'Y', 'Y'));
  if (outcome === 'abandoned') return { authentication: result('NO', 'Y'), stoppedBy: null, ended: false };
  return ending(result('NO', 'Y', 'N'));
}
