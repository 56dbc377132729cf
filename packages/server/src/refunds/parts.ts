import type { AccountContext } from '../accounts/context.ts';
import type { PaymentParts } from '../payments/parts.ts';
import type { RefundRow } from './row.ts';
import type { RefundStore } from './store.ts';

export interface RefundParts
  extends Pick<
    PaymentParts,
    | 'db'
    | 'clock'
    | 'operations'
    | 'waits'
    | 'randomBytes'
    | 'lease'
    | 'connect'
    | 'keepAnswer'
    | 'isKeyTaken'
  > {
  readonly store: RefundStore;
  readonly payments: PaymentParts;
  /** Writes a refund as the API shows it, by the contract's schema. */
  readonly write: (refund: object) => string;
  readonly onSettled: (refund: RefundRow, context: AccountContext) => void;
  readonly onTrouble: (
    message: string,
    refund: Pick<RefundRow, 'id' | 'account_id'>,
    error?: unknown,
  ) => void;
}
