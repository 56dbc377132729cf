import type { ChargeRequest, NoAnswer } from '../../port/port.ts';
import { isNoAnswer, notExecuted } from '../../upstream/no-answer.ts';
import { metadataId } from '../orders/order-request.ts';
import { upstreamName } from '../saved-methods/customer.ts';
import { faultOf, isSuccess } from '../wire/issues.ts';
import type { Session } from '../wire/session.ts';

/** Body of `PUT /v1/risk/transaction-contexts/{merchant_id}/{tracking_id}`. */
interface TransactionContext {
  readonly tracking_id: string;
  readonly additional_data: readonly { readonly key: string; readonly value: string }[];
}

/**
 * Builds the context from the merchant's data. Fields about the sender that the merchant left out are filled from the buyer
 * (PayPal docs, "Set Transaction Context").
 */
function transactionContext(
  trackingId: string,
  { transactionContext: sent, buyer, billingAddress }: ChargeRequest,
): TransactionContext {
  const name = upstreamName(buyer?.name ?? null);
  const known: Readonly<Record<string, string | null | undefined>> = {
    sender_account_id: buyer?.id,
    sender_first_name: name?.given_name,
    sender_last_name: name?.surname,
    sender_email: buyer?.email,
    sender_phone: buyer?.phone,
    sender_address_zip: billingAddress?.postal_code,
    sender_country_code: billingAddress?.country,
  };
  const data = Object.entries({ ...known, ...sent }).flatMap(([key, value]) =>
    value === null || value === undefined || value === '' ? [] : [{ key, value }],
  );
  return { tracking_id: trackingId, additional_data: data };
}

/**
 * Sends data about the buyer to the upstream before the order is created, if the merchant asks for it.
 * @returns undefined if the order may follow; otherwise nothing was charged
 */
export async function sendTransactionContext(
  session: Session,
  request: ChargeRequest,
): Promise<NoAnswer | undefined> {
  if (!request.transactionContext) return undefined;
  const trackingId = metadataId(request.riskSession);
  const { merchantId } = session.credentials;
  if (trackingId === undefined || !merchantId) {
    return notExecuted('provider_error', 'risk session or merchant id missing');
  }
  const ids = [merchantId, trackingId].map(encodeURIComponent).join('/');
  const { reply } = await session.send({
    method: 'PUT',
    path: `/v1/risk/transaction-contexts/${ids}`,
    body: transactionContext(trackingId, request),
  });
  if (!isNoAnswer(reply) && (isSuccess(reply) || reply.status === 204)) return undefined;
  // Whether or not the context arrived, no order was created.
  const fault = isNoAnswer(reply) ? reply : faultOf(reply);
  return { ...fault, kind: 'not_executed', reason: `transaction context ${fault.reason}` };
}
