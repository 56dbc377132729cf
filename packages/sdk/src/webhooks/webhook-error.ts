/**
 * Why a delivery is not accepted:
 * `missing_header`, `bad_header`: a header is missing or cannot be read;
 * `bad_secret`: what was passed is no signing secret;
 * `body_changed`: the body is not the one that was signed, which shows;
 * `headers_changed`: the body is right, its id or time is not;
 * `no_match`: no secret fits; most often it is another endpoint's, or one from before it was rolled;
 * `too_old`, `in_future`: rightly signed, but at another time.
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

/** A delivery that is not proven to come from the Till server. Answer 401. */
export class SignatureVerificationError extends Error {
  static {
    SignatureVerificationError.prototype.name = 'SignatureVerificationError';
  }
  readonly reason: SignatureFault;
  /** The event's id as the headers have it, to find the delivery by. */
  readonly webhookId: string | undefined;

  constructor(reason: SignatureFault, message: string, webhookId?: string) {
    super(webhookId === undefined ? message : `${message} (webhook-id ${webhookId})`);
    this.reason = reason;
    this.webhookId = webhookId;
  }
}
