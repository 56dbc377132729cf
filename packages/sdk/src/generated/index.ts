// Made from the contract by `npm run generate`; do not change it by hand.

export type * from './codes.ts';
export type * from './customers.ts';
export type * from './disputes.ts';
export type * from './events.ts';
export type * from './files.ts';
export type * from './payment-create.ts';
export type * from './payment-links.ts';
export type * from './payment-methods.ts';
export type * from './payments.ts';
export type * from './payouts.ts';
export type * from './refunds.ts';
export type * from './sandbox-helpers.ts';
