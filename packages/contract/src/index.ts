export * from './address.ts';
export * from './common.ts';
export * from './customer.ts';
export * from './error.ts';
export * from './event.ts';
export * from './line-item.ts';
export * from './merchant-api.ts';
export * from './payment.ts';
