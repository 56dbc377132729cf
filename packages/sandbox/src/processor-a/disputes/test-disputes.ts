import type { DisputeStage } from '../../directives/dispute-directives.ts';
import { upstreamIdOf } from '../../test-opened.ts';
import {
  type Answer,
  answerFrom,
  type Delivered,
  payment,
  request,
  type TestClient,
} from '../test-client.ts';
import { openDisputeA } from './disputes.ts';

/** Sends a request to the dispute service. */
export async function askService(client: TestClient, operation: string, body: unknown): Promise<Answer> {
  const url = `https://ca-test.example/ca/services/DisputeService/v30/${operation}`;
  return answerFrom(await client.processor.handle({ ...request(body), url }));
}

/** Sends a request about a dispute. Returns `ok`, or the service's error message. */
export async function ask(
  client: TestClient,
  operation: string,
  account: string,
  upstreamId: string,
  rest: object = {},
): Promise<string> {
  const body = { merchantAccountCode: account, disputePspReference: upstreamId, ...rest };
  const { disputeServiceResult: result } = JSON.parse((await askService(client, operation, body)).text);
  return result.success ? 'ok' : result.errorMessage;
}

export const defenceMaterial = {
  defenseDocumentTypeCode: 'DefenseMaterial',
  contentType: 'application/pdf',
  content: Buffer.from('%PDF-1.4 our side of it').toString('base64'),
};

/** Supplies the required document and defends the dispute. */
export async function defend(client: TestClient, account: string, upstreamId: string): Promise<string> {
  const supplied = { defenseDocuments: [defenceMaterial] };
  await ask(client, 'supplyDefenseDocument', account, upstreamId, supplied);
  const reason = { defenseReasonCode: 'SupplyDefenseMaterial' };
  return ask(client, 'defendDispute', account, upstreamId, reason);
}

/** Formats deliveries as event code and dispute status. */
export const notified = (deliveries: readonly Delivered[]) =>
  deliveries.map(({ item }) => `${item.eventCode} ${item.additionalData.disputeStatus}`);

/** Charges a card and delivers the notification. */
export async function charge(client: TestClient, account: string, card: object = {}, rest: object = {}) {
  const body = payment(account, { ...card }, { ...rest });
  const { json } = await client.pay(body, body.reference);
  await client.pass(account, 1);
  return { reference: body.reference, psp: json.pspReference };
}

/**
 * Opens a dispute of a new charge and delivers its notification.
 * @returns the upstream's id of the dispute
 */
export async function open(client: TestClient, account: string, state: DisputeStage = 'chargeback') {
  const { reference: paymentReference } = await charge(client, account);
  const opened = await openDisputeA(client.deps, { merchantAccount: account, paymentReference, state });
  await client.pass(account, 0);
  return upstreamIdOf(opened);
}
