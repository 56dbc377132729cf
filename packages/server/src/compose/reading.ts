import { CustomerStore } from '../customers/store.ts';
import { DisputeStore } from '../disputes/store.ts';
import { FileStore } from '../files/store.ts';
import { PaymentStore } from '../payments/store.ts';
import { RefundStore } from '../refunds/store.ts';
import type { ServerDependencies } from './dependencies.ts';
import type { Features } from './features.ts';

/**
 * The features as the dashboard's pages and exports read them: on connections of their own, so that no page, however
 * much it reads, keeps payments waiting. What reading itself changes, such as a payment whose time is over, is changed
 * there too.
 */
export function composeReading({ reads }: Pick<ServerDependencies, 'reads'>, features: Features) {
  const customers = { ...features.customers, store: new CustomerStore(reads) };
  const payments = { ...features.payments, db: reads, store: new PaymentStore(reads), customers };
  return {
    payments,
    refunds: { ...features.refunds, db: reads, store: new RefundStore(reads), payments },
    disputes: { ...features.disputes, db: reads, store: new DisputeStore(reads) },
    files: { ...features.files, store: new FileStore(reads) },
  };
}
