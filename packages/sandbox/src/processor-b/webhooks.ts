import type { SandboxDatabase, SandboxDependencies } from '../lib/dependencies.ts';
import { columnsOf, type JsonObject, objectIn } from '../lib/json.ts';
import type { WireResponse } from '../lib/wire.ts';
import type { NotificationSigner, PlannedNotification } from '../outbox/outbox.ts';
import { type Call, respondFresh, type Tools } from './call/call.ts';
import { sandboxOrigin } from './events/events.ts';
import { signatureAlgorithm, signEvent, verifyEvent } from './events/signature.ts';
import { createSigningKey, type SigningKey } from './events/signing-key.ts';
import { internetTime } from './model/order.ts';
import { malformed, unknownResource } from './wire/errors.ts';

/** Path of the only certificate. The merchant's side pins its URL. */
export const certificatePath = '/v1/notifications/certs/CERT-SANDBOX';
const certificateUrl = `${sandboxOrigin}${certificatePath}`;

/**
 * The ledger status that an event reports about a refund, and the statuses it may replace. A failed refund
 * stays failed, however often its events are sent.
 */
const refundOutcomes: Readonly<Record<string, readonly [status: string, only: readonly string[]]>> = {
  'PAYMENT.CAPTURE.REFUNDED': ['succeeded', ['pending']],
  'PAYMENT.REFUND.FAILED': ['failed', ['pending', 'succeeded']],
};

/** Updates the ledger to what an event is about to report. */
async function recordOutcome(
  database: SandboxDatabase,
  { merchantAccount, body }: PlannedNotification,
): Promise<void> {
  const { event_type, resource } = columnsOf(body);
  const outcome = refundOutcomes[String(event_type)];
  if (outcome === undefined) return;
  const [status, only] = outcome;
  await database.query(
    `update sandbox.refunds set status = $3
     where merchant_account = $1 and upstream_id = $2 and status = any ($4::text[])`,
    [merchantAccount, columnsOf(resource).id, status, only],
  );
}

/** Generates an id of 36 characters in the form of a UUID. */
function generateTransmissionId(deps: Pick<SandboxDependencies, 'randomBytes'>): string {
  const text = Buffer.from(deps.randomBytes(16)).toString('hex');
  return text.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

/**
 * Signs the events of processor_b and builds their requests like PayPal (PayPal docs, "Integrate webhooks").
 * An event with a bad signature has that of another body.
 * @throws Error if the dependencies have no route for notifications
 */
export function createNotificationSignerB(
  deps: Pick<SandboxDependencies, 'database' | 'randomBytes' | 'notifications'>,
): NotificationSigner {
  const key = createSigningKey(deps);
  return async (planned, { url, now }) => {
    const { notifications } = deps;
    if (notifications === undefined) throw new Error('notifications go nowhere');
    await recordOutcome(deps.database, planned);
    const body = Buffer.from(JSON.stringify(planned.body));
    const signed = {
      transmissionId: generateTransmissionId(deps),
      transmissionTime: internetTime(now),
      webhookId: notifications.secrets(planned.merchantAccount).webhookId,
      body: planned.flaw === 'bad_signature' ? Buffer.from('{}') : body,
    };
    return {
      method: 'POST',
      url,
      headers: {
        'content-type': 'application/json',
        'paypal-transmission-id': signed.transmissionId,
        'paypal-transmission-time': signed.transmissionTime,
        'paypal-transmission-sig': await signEvent(signed, await key()),
        'paypal-cert-url': certificateUrl,
        'paypal-auth-algo': signatureAlgorithm,
      },
      body,
    };
  };
}

/** `GET /v1/notifications/certs/{id}`, which needs no access token. */
export async function getCertificate(key: () => Promise<SigningKey>): Promise<WireResponse> {
  const { certificate } = await key();
  return {
    status: 200,
    headers: { 'content-type': 'application/x-pem-file' },
    body: Buffer.from(certificate),
  };
}

function requiredText(body: JsonObject, name: string): string {
  const value = body[name];
  if (value === undefined || value === null) throw malformed('MISSING_REQUIRED_PARAMETER', `/${name}`);
  if (typeof value !== 'string') throw malformed('INVALID_PARAMETER_SYNTAX', `/${name}`);
  return value;
}

/** `POST /v1/notifications/verify-webhook-signature` (PayPal Webhooks v1). */
export async function verifySignature(tools: Tools, call: Call): Promise<WireResponse> {
  const { body, merchantAccount } = call;
  const text = (name: string) => requiredText(body, name);
  const signed = {
    transmissionId: text('transmission_id'),
    transmissionTime: text('transmission_time'),
    webhookId: text('webhook_id'),
    // Serializing the parsed event gives the bytes that were sent: events contain nothing that a JSON round
    // trip changes.
    body: Buffer.from(JSON.stringify(objectIn(body, 'webhook_event'))),
  };
  const known =
    text('cert_url') === certificateUrl &&
    text('auth_algo') === signatureAlgorithm &&
    signed.webhookId === tools.deps.notifications?.secrets(merchantAccount).webhookId;
  const genuine = verifyEvent(signed, text('transmission_sig'), await tools.signingKey());
  const verification_status = known && genuine ? 'SUCCESS' : 'FAILURE';
  return respondFresh(tools, { status: 200, body: JSON.stringify({ verification_status }) });
}

/**
 * `GET /v1/notifications/webhooks/{id}` (PayPal Webhooks v1): the account's only webhook, which receives
 * every event.
 */
export async function getWebhook(tools: Tools, call: Call, id: string): Promise<WireResponse> {
  const { notifications } = tools.deps;
  if (notifications?.secrets(call.merchantAccount).webhookId !== id) throw unknownResource();
  const body = {
    id,
    url: notifications.url('processor_b', call.merchantAccount),
    event_types: [{ name: '*' }],
    links: [{ href: `${call.view.api}/v1/notifications/webhooks/${id}`, rel: 'self', method: 'GET' }],
  };
  return respondFresh(tools, { status: 200, body: JSON.stringify(body) });
}
