import type { ProcessorConnection } from '../port/port.ts';
import { isNoAnswer } from '../upstream/no-answer.ts';
import type { ConnectionFinding } from '../upstream/processor.ts';
import { jsonObject, jsonObjects, jsonText, parsedJson } from '../wire/json.ts';
import { type Transport, TransportError } from '../wire/transport.ts';
import { requestToken } from './wire/oauth.ts';

/** Path of the webhook. The upstream includes the webhook's id in its signatures (PayPal Webhooks v1). */
const webhookPath = (webhookId: string) => `/v1/notifications/webhooks/${encodeURIComponent(webhookId)}`;

/** The events that are essential: without them no notification arrives for a payment whose outcome comes later. */
const neededEvents = ['PAYMENT.CAPTURE.COMPLETED', 'PAYMENT.CAPTURE.REFUNDED', 'CUSTOMER.DISPUTE.CREATED'];

function webhookFinding(status: number, body: unknown, expectedPath: string): ConnectionFinding {
  const check = 'webhook';
  if (status === 404) return { check, ok: false, detail: 'no webhook has this id in this app' };
  if (status !== 200) return { check, ok: false, detail: `the upstream refuses (status ${status})` };
  const webhook = jsonObject(body);
  const names = new Set(jsonObjects(webhook, 'event_types').map((event) => jsonText(event, 'name')));
  const missing = names.has('*') ? [] : neededEvents.filter((name) => !names.has(name));
  if (missing.length > 0) return { check, ok: false, detail: `it is not notified of ${missing.join(', ')}` };
  const leadsHere = (jsonText(webhook, 'url') ?? '').endsWith(expectedPath);
  return leadsHere
    ? { check, ok: true, detail: 'leads to this account' }
    : { check, ok: false, detail: `its address does not end with ${expectedPath}` };
}

/** Checks whether the upstream accepts the credentials and whether the webhook's URL is this account's. Changes nothing. */
export async function checkConnectionB(
  transport: Transport,
  { accountId, baseUrl, credentials }: ProcessorConnection,
): Promise<ConnectionFinding[]> {
  const { clientId = '', clientSecret = '', webhookId = '' } = credentials;
  const check = 'client id and secret';
  const token = await requestToken(transport, { baseUrl, clientId, clientSecret });
  if (isNoAnswer(token)) return [{ check, ok: false, detail: `not accepted (${token.reason})` }];
  const accepted = { check, ok: true, detail: 'accepted' };
  try {
    const { status, body } = await transport({
      method: 'GET',
      url: `${baseUrl}${webhookPath(webhookId)}`,
      headers: { accept: 'application/json', authorization: `Bearer ${token.token}` },
      body: Buffer.alloc(0),
    });
    const expected = `/processors/b/notifications/${accountId}`;
    return [accepted, webhookFinding(status, parsedJson(body), expected)];
  } catch (error) {
    const kind = error instanceof TransportError ? error.kind : 'dropped';
    return [accepted, { check: 'webhook', ok: false, detail: `no answer (${kind})` }];
  }
}
