import { isNoAnswer } from '../no-answer.ts';
import type { ClientTokenOutcome, ClientTokenRequest } from '../port/instruments.ts';
import type { TokenParameters } from './oauth.ts';
import type { Session } from './session.ts';

/**
 * A token with which the wallet's browser SDK acts for the merchant; the upstream ends it after 15 minutes (PayPal docs,
 * "Get started with the JavaScript SDK v6").
 */
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
  return isNoAnswer(issued) ? issued : { kind: 'minted', token: issued.token, clientId: session.clientId };
}
