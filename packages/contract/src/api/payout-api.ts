import { Payout, PayoutLineList, PayoutList, PayoutListQuery } from '../objects/payout.ts';
import type { Operation } from './operation.ts';

/** Payouts by the processors, according to the imported settlement reports. */
export const payoutApi = {
  listPayouts: {
    id: 'listPayouts',
    method: 'GET',
    path: '/api/v1/payouts',
    tag: 'Payouts',
    permission: 'payouts:read',
    summary: 'List payouts, the latest imported first',
    idempotency: 'unused',
    query: PayoutListQuery,
    answers: { 200: PayoutList },
    errors: ['invalid_params'],
  },
  retrievePayout: {
    id: 'retrievePayout',
    method: 'GET',
    path: '/api/v1/payouts/:id',
    tag: 'Payouts',
    permission: 'payouts:read',
    summary: 'Retrieve a payout',
    idempotency: 'unused',
    answers: { 200: Payout },
    errors: ['not_found'],
  },
  listPayoutLines: {
    id: 'listPayoutLines',
    method: 'GET',
    path: '/api/v1/payouts/:id/lines',
    tag: 'Payouts',
    permission: 'payouts:read',
    summary: 'List the lines of a payout, in the order of the report',
    idempotency: 'unused',
    query: PayoutListQuery,
    answers: { 200: PayoutLineList },
    errors: ['not_found', 'invalid_params'],
  },
} as const satisfies Record<string, Operation>;
