export type { RequestOptions } from './client.ts';
export * from './declines.ts';
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
} from './errors.ts';
export type * from './events.ts';
export type * from './generated/index.ts';
export type { Listing, Page } from './listing.ts';
export type { FileUpload } from './resources/files.ts';
export type { AnswerNote, TillOptions } from './settings.ts';
export type { Clock, Fetch, FetchAnswer } from './system.ts';
export * from './till.ts';
export * from './webhook-error.ts';
export type { VerifyOptions, WebhookHeaders } from './webhooks.ts';
export * as webhooks from './webhooks.ts';
