import type { ProcessorConnection } from '../port/port.ts';
import type { ConnectionFinding } from '../upstream/processor.ts';
import { jsonObject } from '../wire/json.ts';
import { type Transport, TransportError } from '../wire/transport.ts';
import { call } from './wire/client.ts';

/** Lists the payment methods of the merchant account, which changes nothing (Adyen Checkout v71, `POST /paymentMethods`). */
const checkRequest = (merchantAccount: string) => ({ merchantAccount, channel: 'Web' });

const meanings: Readonly<Record<number, string>> = {
  401: 'the API key is not taken',
  403: 'the API key may not use this merchant account',
  422: 'the merchant account is not known there',
};

/**
 * Checks whether the upstream accepts the credentials. The credentials that authenticate notifications can be checked only
 * when one arrives.
 */
export async function checkConnectionA(
  transport: Transport,
  { baseUrl, credentials }: ProcessorConnection,
): Promise<ConnectionFinding[]> {
  const { apiKey = '', merchantAccount = '' } = credentials;
  const check = 'API key and merchant account';
  try {
    const url = `${baseUrl}/paymentMethods`;
    const answer = await call(transport, apiKey, {
      method: 'POST',
      url,
      body: checkRequest(merchantAccount),
    });
    if (answer.status !== 200) {
      const detail = meanings[answer.status] ?? 'the upstream refuses';
      return [{ check, ok: false, detail: `${detail} (status ${answer.status})` }];
    }
    const { paymentMethods } = jsonObject(answer.body);
    const methods = Array.isArray(paymentMethods) ? paymentMethods.map((one) => jsonObject(one).type) : [];
    return [
      { check, ok: true, detail: 'accepted' },
      methods.includes('scheme')
        ? { check: 'cards', ok: true, detail: 'offered' }
        : { check: 'cards', ok: false, detail: 'the merchant account offers no cards' },
    ];
  } catch (error) {
    const kind = error instanceof TransportError ? error.kind : 'dropped';
    return [{ check, ok: false, detail: `no answer (${kind})` }];
  }
}
