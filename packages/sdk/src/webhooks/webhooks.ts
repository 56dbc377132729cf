import { refuseBrowser } from '../http/refuse-browser.ts';
import { system } from '../http/system.ts';
import type { TillEvent } from './events.ts';
import { isSame, type SignedMessage, serviceSignature, standardSignature } from './signatures.ts';
import { SignatureVerificationError } from './webhook-error.ts';

/**
 * The headers of a webhook request, as provided by Node.js, a framework or `fetch`. Names are
 * case-insensitive.
 */
export type WebhookHeaders =
  | { get(name: string): string | null | undefined }
  | Readonly<Record<string, string | readonly string[] | undefined>>;

/** Options of `webhooks.verify`. */
export interface VerifyOptions {
  /** Maximum difference in seconds between the delivery's timestamp and the current time. Default: 300. */
  readonly toleranceSeconds?: number | undefined;
  /** Current time. Set it in tests only. */
  readonly now?: Date | undefined;
}

const toleranceSecondsDefault = 300;

/** The parts of a delivery. Header values are trimmed, as HTTP requires. */
interface Delivery extends SignedMessage {
  readonly signatures: readonly string[];
  /** Signatures by the endpoint's secret and, while both are valid, by the secret it replaced. */
  readonly serviceSignatures: readonly string[];
}

function headerOf(headers: WebhookHeaders, name: string): string | undefined {
  if (typeof headers.get === 'function') return headers.get(name)?.trim();
  const value = Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1];
  return (Array.isArray(value) ? value.join(' ') : (value as string | undefined))?.trim();
}

function readBody(body: unknown): Uint8Array {
  if (typeof body === 'string') return Buffer.from(body);
  if (body instanceof Uint8Array) return body;
  if (body instanceof ArrayBuffer) return new Uint8Array(body);
  throw new SignatureVerificationError(
    'body_changed',
    'The body must be the raw bytes or text of the request. It was parsed: keep your framework from that on this route.',
  );
}

function readDelivery(rawBody: unknown, headers: WebhookHeaders): Delivery {
  const body = readBody(rawBody);
  const required = (name: string) => {
    const value = headerOf(headers, name);
    if (value !== undefined && value !== '') return value;
    throw new SignatureVerificationError('missing_header', `The header ${name} is missing.`);
  };
  const id = required('webhook-id');
  const timestamp = required('webhook-timestamp');
  if (!/^\d{1,12}$/.test(timestamp)) {
    throw new SignatureVerificationError('bad_header', 'webhook-timestamp is not in Unix seconds.', id);
  }
  const signatures = required('webhook-signature').split(' ');
  const serviceSignatures = ['service-signature', 'service-signature-previous'].flatMap(
    (name) => headerOf(headers, name) ?? [],
  );
  return { id, timestamp, body, signatures, serviceSignatures };
}

const hasStandard = (secret: string, delivery: Delivery) => {
  const expected = standardSignature(secret, delivery);
  return delivery.signatures.filter((given) => isSame(given, expected)).length > 0;
};
function hasService(secret: string, { body, serviceSignatures }: Delivery): boolean {
  const expected = serviceSignature(secret, body);
  return serviceSignatures.filter((given) => isSame(given, expected)).length > 0;
}

const textOf = (body: Uint8Array) => Buffer.from(body.buffer, body.byteOffset, body.length).toString('utf8');

function parse(body: Uint8Array): unknown {
  try {
    return JSON.parse(textOf(body));
  } catch {
    return undefined;
  }
}

/**
 * Whether a secret matches the body in the server's own JSON formatting, which proves that only the
 * formatting changed.
 */
function isRewritten(secrets: readonly string[], delivery: Delivery): boolean {
  const parsed = parse(delivery.body);
  if (parsed === undefined) return false;
  const body = Buffer.from(JSON.stringify(parsed));
  return secrets.some((secret) => hasStandard(secret, { ...delivery, body }));
}

/** Explains why no secret matches, as precisely as the delivery allows. */
function explain(secrets: readonly string[], delivery: Delivery): SignatureVerificationError {
  const { id } = delivery;
  if (secrets.some((secret) => hasService(secret, delivery))) {
    const message =
      'The body is rightly signed, but webhook-id or webhook-timestamp is not the one sent with it.';
    return new SignatureVerificationError('headers_changed', message, id);
  }
  const cure = 'Verify the raw bytes, before anything parses them.';
  if (isRewritten(secrets, delivery)) {
    const message = `The body was parsed and written again, or white space was added. ${cure}`;
    return new SignatureVerificationError('body_changed', message, id);
  }
  if ((parse(delivery.body) as { id?: unknown } | null | undefined)?.id !== id) {
    const message = `The body is not the one that was sent with these headers, or not all of it. ${cure}`;
    return new SignatureVerificationError('body_changed', message, id);
  }
  const message =
    'No signature fits. Either the secret is not that of this endpoint (another endpoint, or from before it was rolled), ' +
    'or the body is not byte for byte the one that was sent.';
  return new SignatureVerificationError('no_match', message, id);
}

function requireFresh({ id, timestamp }: Delivery, options: VerifyOptions): void {
  const tolerance = options.toleranceSeconds ?? toleranceSecondsDefault;
  const age = (options.now ?? system.clock.now()).getTime() / 1000 - Number(timestamp);
  if (Math.abs(age) <= tolerance) return;
  const seconds = Math.round(Math.abs(age));
  throw age > 0
    ? new SignatureVerificationError(
        'too_old',
        `It was signed ${seconds} s ago, more than ${tolerance} s: somebody repeats an old delivery, or your clock is fast.`,
        id,
      )
    : new SignatureVerificationError(
        'in_future',
        `It is signed for a time ${seconds} s from now, more than ${tolerance} s: your clock is slow.`,
        id,
      );
}

/**
 * Verifies that a webhook delivery comes from your Till server and is recent, and returns its event. It
 * checks both signatures: the one of Standard Webhooks, which covers the id and timestamp too, and
 * `Service-Signature` if the request has it.
 * @param rawBody the body of the request exactly as it arrived, as bytes or text, before any parsing
 * @param headers the headers of the request
 * @param secret the signing secret of the endpoint, or a list, for example while you roll it: one has to match
 * @throws SignatureVerificationError with a `reason` and a message that say what is wrong
 * @throws Error in a browser
 *
 * @example
 * ```ts
 * const event = webhooks.verify(rawBody, request.headers, process.env.TILL_WEBHOOK_SECRET ?? '');
 * if (event.type === 'payment.succeeded') console.log(event.data.object.id);
 * ```
 */
export function verify(
  rawBody: string | Uint8Array | ArrayBuffer,
  headers: WebhookHeaders,
  secret: string | readonly string[],
  options: VerifyOptions = {},
): TillEvent {
  refuseBrowser();
  const delivery = readDelivery(rawBody, headers);
  const given = [secret].flat();
  const secrets = given.length === 0 ? [''] : given;
  // // Tries every secret, so that a malformed one is reported even if another one matches.
  const fitting = secrets.filter((one) => hasStandard(one, delivery));
  if (fitting.length === 0) throw explain(secrets, delivery);
  if (delivery.serviceSignatures.length > 0 && !fitting.some((one) => hasService(one, delivery))) {
    const message = 'Service-Signature does not fit, though webhook-signature does.';
    throw new SignatureVerificationError('headers_changed', message, delivery.id);
  }
  requireFresh(delivery, options);
  return parse(delivery.body) as TillEvent;
}

/**
 * Creates the headers that the server would send with a body. Use it to test your own webhook handler.
 * @param id the event id
 * @param now the time of the delivery, default: the current time
 * @returns headers with `webhook-id`, `webhook-timestamp`, `webhook-signature` and `service-signature`
 */
export function sign(
  rawBody: string | Uint8Array | ArrayBuffer,
  secret: string,
  { id, now = system.clock.now() }: { readonly id: string; readonly now?: Date | undefined },
): Record<string, string> {
  refuseBrowser();
  const body = readBody(rawBody);
  const timestamp = String(Math.floor(now.getTime() / 1000));
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': standardSignature(secret, { id, timestamp, body }),
    'service-signature': serviceSignature(secret, body),
  };
}
