import { verify } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type {
  NotificationIntake,
  NotificationRequest,
  ReceivedNotification,
} from '../../port/notifications.ts';
import { type CallBudget, callBudget } from '../../upstream/call-budget.ts';
import { isNoAnswer, notExecuted } from '../../upstream/no-answer.ts';
import { jsonObject, jsonText, parsedJson } from '../../wire/json.ts';
import { faultOf, isSuccess } from '../wire/issues.ts';
import type { Session } from '../wire/session.ts';
import { isCertificateAddress } from './certificate-address.ts';
import type { CertificateCache } from './certificates.ts';

interface VerificationDependencies {
  readonly certificates: CertificateCache;
  readonly budgets: VerificationBudgets;
  now(): Date;
}

/**
 * Limits on the upstream calls that anybody can trigger by sending notifications: an account's notification URL is not
 * secret.
 */
export interface VerificationBudgets {
  readonly certificates: CallBudget;
  readonly postbacks: CallBudget;
}

const minuteMs = 60_000;

/** Per account and mode, in one process. The upstream has few certificates and seldom changes them. */
export const verificationBudgets = (deps: { now(): Date }): VerificationBudgets => ({
  certificates: callBudget(deps, { max: 6, windowMs: minuteMs }),
  postbacks: callBudget(deps, { max: 6, windowMs: minuteMs }),
});

/** Maximum size in bytes of an event that is sent back to the upstream for verification. */
const maxPostbackBytes = 64 * 1024;

/** The signature data in a notification's headers. */
interface Transmission {
  readonly id: string;
  readonly time: string;
  readonly signature: string;
  readonly certificateUrl: string;
  readonly algorithm: string;
}

type Verdict = Exclude<NotificationIntake, { kind: 'accepted' }> | 'genuine';

/**
 * Verifies the upstream's signature of a notification (PayPal docs, "Webhooks", verification): locally, and, if the
 * certificate does not chain to a trusted root, also by asking the upstream. A notification that needs more calls than the
 * account has left this minute is not verified: the upstream sends it again.
 */
export async function receiveNotification(
  deps: VerificationDependencies,
  session: Session,
  { headers, body }: NotificationRequest,
): Promise<NotificationIntake> {
  const { webhookId, certificateUrl: pinned } = session.credentials;
  if (!webhookId) return notExecuted('provider_error', 'credentials missing');
  const transmission = readTransmission(headers);
  const notification = readNotification(body);
  if (transmission === undefined || notification === undefined) {
    return refused(transmission === undefined ? 'signature headers' : 'malformed');
  }
  if (!isCertificateAddress(transmission.certificateUrl, pinned)) return refused('certificate address');
  const verdict =
    (await offlineVerdict(deps, session, transmission, {
      webhookId,
      body,
      isPinned: pinned !== undefined,
    })) ?? (await postbackVerdict(deps, session, transmission, webhookId, body));
  return verdict === 'genuine' ? { kind: 'accepted', notifications: [notification] } : verdict;
}

const refused = (reason: string) => ({ kind: 'refused', reason }) as const;

/** Maximum lengths of the headers that the upstream sends (PayPal Webhooks v1, verify_webhook_signature). */
const headerLimits = {
  'paypal-transmission-id': 50,
  'paypal-transmission-time': 100,
  'paypal-transmission-sig': 500,
  'paypal-cert-url': 500,
  'paypal-auth-algo': 100,
} as const;

/** Undefined if a header is missing, or is not one that the upstream would send. */
function readTransmission(headers: NotificationRequest['headers']): Transmission | undefined {
  const read = (name: keyof typeof headerLimits): string => {
    const value = headers[name] ?? '';
    return value.length <= headerLimits[name] ? value : '';
  };
  const transmission = {
    id: read('paypal-transmission-id'),
    time: read('paypal-transmission-time'),
    signature: read('paypal-transmission-sig'),
    certificateUrl: read('paypal-cert-url'),
    algorithm: read('paypal-auth-algo'),
  };
  const complete = Object.values(transmission).every((value) => value !== '');
  return complete && transmission.algorithm === 'SHA256withRSA' ? transmission : undefined;
}

/** The event in a notification's body; undefined if the body is not an event (PayPal Webhooks v1, event). */
function readNotification(body: Uint8Array): ReceivedNotification | undefined {
  const event = jsonObject(parsedJson(Buffer.from(body)));
  const id = jsonText(event, 'id');
  const type = jsonText(event, 'event_type');
  return id === null || id.length > 255 || type === null ? undefined : { id, type, body: event };
}

/**
 * Checks the signature with the certificate's key. Undefined if it matches but proves nothing yet, because the certificate is
 * neither pinned nor chains to a trusted root. If the certificate cannot be fetched, the notification is not accepted.
 */
async function offlineVerdict(
  deps: VerificationDependencies,
  { tenant }: Session,
  transmission: Transmission,
  { webhookId, body, isPinned }: { webhookId: string; body: Uint8Array; isPinned: boolean },
): Promise<Verdict | undefined> {
  const signature = Buffer.from(transmission.signature, 'base64');
  if (signature.length < signatureBytes.min || signature.length > signatureBytes.max) {
    return refused('signature');
  }
  const certificate = await deps.certificates.get(transmission.certificateUrl, () =>
    deps.budgets.certificates.take(tenant),
  );
  if (isNoAnswer(certificate)) return { ...certificate, kind: 'not_executed' };
  const isValid = certificate.isValidAt(deps.now());
  if (isPinned && !isValid) return refused('certificate out of date');
  const message = [transmission.id, transmission.time, webhookId, crc32(body)].join('|');
  if (!verify('RSA-SHA256', Buffer.from(message), certificate.publicKey, signature)) {
    return refused('signature');
  }
  return isPinned || (certificate.isTrusted && isValid) ? 'genuine' : undefined;
}

/** Signature lengths in bytes of RSA keys between 1,024 and 4,096 bits. */
const signatureBytes = { min: 128, max: 512 } as const;

/** Asks the upstream whether it signed exactly these bytes (PayPal Webhooks v1, "Verify webhook signature"). */
async function postbackVerdict(
  { budgets }: VerificationDependencies,
  session: Session,
  transmission: Transmission,
  webhookId: string,
  body: Uint8Array,
): Promise<Verdict> {
  if (body.length > maxPostbackBytes || !budgets.postbacks.take(session.tenant)) {
    return notExecuted('provider_unavailable', 'too much to verify at the upstream');
  }
  const { reply } = await session.send({
    path: '/v1/notifications/verify-webhook-signature',
    payload: {
      contentType: 'application/json',
      content: postback(transmission, webhookId, body),
    },
  });
  if (isNoAnswer(reply)) return { ...reply, kind: 'not_executed' };
  switch (isSuccess(reply) ? jsonText(reply.body, 'verification_status') : null) {
    case 'SUCCESS':
      return 'genuine';
    case 'FAILURE':
      return refused('signature');
    default:
      return { ...faultOf(reply), kind: 'not_executed' };
  }
}

/**
 * Body of `POST /v1/notifications/verify-webhook-signature`. It contains the event's original bytes, because re-serialized
 * numbers and escapes could differ.
 */
export function postback(transmission: Transmission, webhookId: string, body: Uint8Array): Buffer {
  const question = JSON.stringify({
    auth_algo: transmission.algorithm,
    cert_url: transmission.certificateUrl,
    transmission_id: transmission.id,
    transmission_sig: transmission.signature,
    transmission_time: transmission.time,
    webhook_id: webhookId,
  });
  return Buffer.concat([Buffer.from(`${question.slice(0, -1)},"webhook_event":`), body, Buffer.from('}')]);
}
