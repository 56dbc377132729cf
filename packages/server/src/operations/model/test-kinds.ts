import type { OperationKind } from '../operation.ts';
import type { KindModel } from './test-kind.ts';
import {
  acceptance,
  conclude,
  defence,
  refund,
  remove,
  settleRefund,
  trackRefund,
} from './test-other-kinds.ts';
import { cancel, capture, charge, confirm, expire, voidHold } from './test-payment-kinds.ts';

/** Every kind of operation: one that is missing is an error of the compiler. */
export const kindModels: Readonly<Record<OperationKind, KindModel>> = {
  charge,
  confirm,
  capture,
  void: voidHold,
  expire,
  cancel,
  refund,
  track_refund: trackRefund,
  settle_refund: settleRefund,
  accept: acceptance,
  defend: defence,
  conclude,
  remove,
};
