export type * from './generated/index.ts';
export type { RequestOptions } from './http/client.ts';
export {
  ApiError,
  AuthenticationError,
  ConnectionError,
  IdempotencyError,
  InvalidRequestError,
  ProviderError,
  RateLimitError,
  TillError,
  ValidationError,
} from './http/errors.ts';
export type { Listing, Page } from './http/listing.ts';
export type { AnswerNote, TillOptions } from './http/settings.ts';
export type { Clock, Fetch, FetchAnswer } from './http/system.ts';
export { isApproval } from './resources/approvals.ts';
export type { FileUpload } from './resources/files.ts';
export { type DeclinedPayment, isDeclined } from './resources/payments.ts';
export * from './till.ts';
export type * from './webhooks/events.ts';
export * from './webhooks/webhook-error.ts';
export type { VerifyOptions, WebhookHeaders } from './webhooks/webhooks.ts';
export * as webhooks from './webhooks/webhooks.ts';
