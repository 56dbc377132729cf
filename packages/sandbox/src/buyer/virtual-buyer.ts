import type { SandboxDependencies } from '../lib/dependencies.ts';

/** What a buyer can do with an approval or a challenge. */
export type BuyerOutcome = 'approved' | 'declined' | 'failed' | 'abandoned';

export interface VirtualBuyer {
  readonly case: string;
  readonly value: string;
  readonly does: BuyerOutcome;
  readonly outcome: string;
  readonly failureCode?: string;
}

/** Buyers who answer a challenge without a browser; only on cards that meet one. */
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

/** The buyer that a directive stands for, if it is one. */
export function findVirtualBuyer(directive: string): VirtualBuyer | undefined {
  return byValue.get(directive);
}

const buyerDelayMs = 1_000;

/** Lets a virtual buyer answer a little later, after the request that asked for it has been answered. */
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
  // Nobody waits for this buyer: where answering fails, the challenge stays open as with a buyer who left.
  void answer().catch(() => undefined);
}
