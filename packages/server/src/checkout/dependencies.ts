import type { LinkDependencies } from '../payment-links/payment-links.ts';
import type { CheckoutAssets } from './pages/assets.ts';
import type { CheckoutDependencies } from './visit/flow.ts';
import type { UnpaidAttempts } from './visit/unpaid-attempts.ts';

export interface CheckoutPageDependencies extends CheckoutDependencies {
  readonly links: LinkDependencies;
  readonly unpaidAttempts: Pick<UnpaidAttempts, 'attempt'>;
  readonly assets: CheckoutAssets;
  /** Whether simulators stand in for live processors. If so, no page may look as if money moved. */
  readonly liveSimulation: boolean;
  /** Called with what a browser refused on one of our pages, without the queries of addresses. */
  readonly onReport: (directive: string, blocked: string) => void;
}
