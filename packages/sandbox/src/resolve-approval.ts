import type { SandboxParts } from './parts.ts';
import { answerChallenge } from './processor-a/challenges.ts';
import { resolveOrder } from './processor-b/approval.ts';
import { resolveSetupToken } from './processor-b/setup-tokens.ts';
import type { BuyerOutcome } from './virtual-buyer.ts';

/**
 * Does what the buyer's page does, without a browser: for an order or a setup token of processor_b, or a challenge of
 * processor_a.
 * @returns where the browser would have gone; null where there is nothing to answer, or the page never comes back
 */
export async function resolveApproval(
  parts: Pick<SandboxParts, 'database' | 'now' | 'randomBytes'>,
  id: string,
  outcome: BuyerOutcome,
): Promise<{ readonly returnUrl: string } | null> {
  return (
    (await resolveOrder(parts, id, outcome)) ??
    (await resolveSetupToken(parts, id, outcome)) ??
    answerChallenge(parts, id, outcome)
  );
}
