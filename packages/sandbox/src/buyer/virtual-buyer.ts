import type { SandboxDependencies } from '../lib/dependencies.ts';

/** What a buyer can do on an approval or challenge page. */
export type BuyerOutcome = 'approved' | 'declined' | 'failed' | 'abandoned';

export interface VirtualBuyer {
  readonly case: string;
  readonly value: string;
  readonly does: BuyerOutcome;
  readonly outcome: string;
  readonly failureCode?: string;
}

/**
 * Directives that make a virtual buyer answer a challenge without a browser. They only work with cards that
 * get a challenge.
 */
export const virtualBuyers: readonly VirtualBuyer[] = [
  {
    case: 'T13',
    value: 'SIM-3DS-PASS',
    does: 'approved',
    outcome: 'With a challenge card: the challenge is passed after one second, without a browser',
  },
  {
    case: 'T13',
    value: 'SIM-3DS-FAIL',
    does: 'failed',
    outcome: 'With a challenge card: the challenge is failed after one second, without a browser',
  },
  {
    case: 'T13',
    value: 'SIM-3DS-CANCEL',
    does: 'abandoned',
    outcome: 'With a challenge card: the buyer cancels the challenge after one second, without a browser',
  },
];

const byValue = new Map(virtualBuyers.map((buyer) => [buyer.value, buyer]));

/** Returns the virtual buyer of a directive, or undefined if the directive means something else. */
export function findVirtualBuyer(directive: string): VirtualBuyer | undefined {
  return byValue.get(directive);
}

const buyerDelayMs = 1_000;

/**
 * Makes the virtual buyer answer a second later, after the request that asked for the challenge has received
 * its response.
 */
export function sendVirtualBuyer(
  deps: Pick<SandboxDependencies, 'delay' | 'visit'>,
  directive: string | null | undefined,
  resolve: (outcome: BuyerOutcome) => Promise<{ readonly returnUrl: string } | null>,
): void {
  const buyer = typeof directive === 'string' ? findVirtualBuyer(directive) : undefined;
  if (buyer === undefined) return;
  const answer = async (): Promise<void> => {
    await deps.delay(buyerDelayMs);
    const resolved = await resolve(buyer.does);
    if (resolved !== null) deps.visit?.(resolved.returnUrl);
  };
  // Nothing waits for this buyer. If answering fails, the challenge stays open as if the buyer had left.
  void answer().catch(() => undefined);
}
