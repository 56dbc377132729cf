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

/** Asks the dispute service. */
export async function askService(client: TestClient, operation: string, body: unknown): Promise<Answer> {
  const url = `https://ca-test.example/ca/services/DisputeService/v30/${operation}`;
  return answerFrom(await client.processor.handle({ ...request(body), url }));
}

/** What the service answered: `ok`, or its words against it. */
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

/** Supplies what is needed and defends. */
export async function defend(client: TestClient, account: string, upstreamId: string): Promise<string> {
  const supplied = { defenseDocuments: [defenceMaterial] };
  await ask(client, 'supplyDefenseDocument', account, upstreamId, supplied);
  const reason = { defenseReasonCode: 'SupplyDefenseMaterial' };
  return ask(client, 'defendDispute', account, upstreamId, reason);
}

/** Event codes with what the dispute came to. */
export const notified = (deliveries: readonly Delivered[]) =>
  deliveries.map(({ item }) => `${item.eventCode} ${item.additionalData.disputeStatus}`);

/** A charge, with its notification delivered. */
export async function charge(client: TestClient, account: string, card: object = {}, rest: object = {}) {
  const body = payment(account, { ...card }, { ...rest });
  const { json } = await client.pay(body, body.reference);
  await client.pass(account, 1);
  return { reference: body.reference, psp: json.pspReference };
}

/** A dispute of a new charge, with its notification delivered. @returns the upstream's id of it */
export async function open(client: TestClient, account: string, state: DisputeStage = 'chargeback') {
  const { reference: paymentReference } = await charge(client, account);
  const opened = await openDisputeA(client.deps, { merchantAccount: account, paymentReference, state });
  await client.pass(account, 0);
  return upstreamIdOf(opened);
}
