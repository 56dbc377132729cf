/** A merchant or operator asked for something that is not possible. Programs may rely on `code`, which is stable. */
export class WebhookError extends Error {
  readonly code:
    | 'invalid_url'
    | 'invalid_events'
    | 'invalid_overlap'
    | 'too_many_endpoints'
    | 'endpoint_not_found'
    | 'endpoint_paused'
    | 'replay_under_way'
    | 'delivery_not_found';

  constructor(code: WebhookError['code'], message: string) {
    super(message);
    this.name = 'WebhookError';
    this.code = code;
  }
}
