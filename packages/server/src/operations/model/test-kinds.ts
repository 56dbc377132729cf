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

/** The models of all kinds of operation. If one is missing, the code does not compile. */
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
