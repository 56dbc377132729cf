import type { LinkDependencies } from '../payment-links/payment-links.ts';
import type { CheckoutAssets } from './pages/assets.ts';
import type { CheckoutDependencies } from './visit/flow.ts';
import type { UnpaidAttempts } from './visit/unpaid-attempts.ts';

export interface CheckoutPageDependencies extends CheckoutDependencies {
  readonly links: LinkDependencies;
  readonly unpaidAttempts: Pick<UnpaidAttempts, 'attempt'>;
  readonly assets: CheckoutAssets;
  /** Simulators stand in for live processors: no page may look as if money moved. */
  readonly liveSimulation: boolean;
  /** Called with what a browser refused on a page of ours, without addresses' queries. */
  readonly onReport: (directive: string, blocked: string) => void;
}
