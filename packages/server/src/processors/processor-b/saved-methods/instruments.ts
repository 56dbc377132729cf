import type {
  ClientTokenOutcome,
  ClientTokenRequest,
  RemoveInstrumentOutcome,
  RemoveInstrumentRequest,
} from '../../port/instruments.ts';
import { isNoAnswer } from '../../upstream/no-answer.ts';
import { faultOf, isMissing } from '../wire/issues.ts';
import type { TokenParameters } from '../wire/oauth.ts';
import type { Session } from '../wire/session.ts';

/** The upstream expires a token after 15 minutes (PayPal docs, "Get started with the JavaScript SDK v6"). */
const lifetimeSeconds = 15 * 60;

/** Requests a token that authorizes the wallet's browser SDK to act for the merchant. */
export async function clientToken(
  session: Session,
  { domains, upstreamCustomer }: ClientTokenRequest,
): Promise<ClientTokenOutcome> {
  const parameters: TokenParameters = [
    ['response_type', 'client_token'],
    ...domains.map((domain) => ['domains[]', domain] as const),
    ...(upstreamCustomer === null ? [] : [['target_customer_id', upstreamCustomer] as const]),
  ];
  const issued = await session.grant(parameters);
  if (isNoAnswer(issued)) return issued;
  return {
    kind: 'minted',
    token: issued.token,
    clientId: session.clientId,
    lifetimeSeconds: lifetimeSeconds,
  };
}

/** Deletes a saved card or wallet at the upstream (PayPal REST Payment Method Tokens v3, "Delete payment token"). */
export async function removeInstrument(
  session: Session,
  request: RemoveInstrumentRequest,
): Promise<RemoveInstrumentOutcome> {
  const { reply } = await session.send({
    method: 'DELETE',
    path: `/v3/vault/payment-tokens/${encodeURIComponent(request.token)}`,
    key: request.upstreamKey,
  });
  if (isNoAnswer(reply)) return reply;
  const removed = reply.status === 204 || isMissing(reply);
  return removed ? { kind: 'removed' } : faultOf(reply);
}
