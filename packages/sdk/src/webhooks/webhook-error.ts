/**
 * Why a webhook delivery was rejected:
 * - `missing_header`, `bad_header`: a header is missing or malformed.
 * - `bad_secret`: the value passed as secret is not a signing secret.
 * - `body_changed`: the body demonstrably differs from the signed one.
 * - `headers_changed`: the body is unchanged, but the id or the timestamp is not.
 * - `no_match`: no secret matches. Usually it belongs to another endpoint or was replaced when the secret was
 * rolled.
 * - `too_old`, `in_future`: the signature is valid, but the timestamp is outside the tolerance.
 */
export type SignatureFault =
  | 'missing_header'
  | 'bad_header'
  | 'bad_secret'
  | 'body_changed'
  | 'headers_changed'
  | 'no_match'
  | 'too_old'
  | 'in_future';

/** Thrown if a webhook delivery cannot be proven to come from your Till server. Respond with status 401. */
export class SignatureVerificationError extends Error {
  static {
    SignatureVerificationError.prototype.name = 'SignatureVerificationError';
  }
  /** Why the delivery was rejected. */
  readonly reason: SignatureFault;
  /** Event id from the headers, with which you can find the delivery. Undefined if it is missing. */
  readonly webhookId: string | undefined;

  constructor(reason: SignatureFault, message: string, webhookId?: string) {
    super(webhookId === undefined ? message : `${message} (webhook-id ${webhookId})`);
    this.reason = reason;
    this.webhookId = webhookId;
  }
}
