import {
  type Answer,
  captured,
  cardSource,
  order,
  ordersPath,
  referenceOf,
  type TestClient,
} from '../test-client.ts';

/** Helpers for tests of disputes. */

type Json = Answer['json'];

export const disputes = '/v1/customer/disputes';

export const waits = 'WAITING_FOR_SELLER_RESPONSE';
export const won = 'RESOLVED RESOLVED_SELLER_FAVOUR';
export const lost = 'RESOLVED RESOLVED_BUYER_FAVOUR';

export const evidence = { evidences: [{ evidence_type: 'PROOF_OF_FULFILLMENT', notes: 'Sent' }] };

/** Formats a dispute's position: its stage, its status and, once it is over, the outcome. */
export function standing({
  dispute_life_cycle_stage: stage,
  status,
  dispute_outcome: outcome,
}: Json): string {
  return [stage, status, outcome?.outcome_code].filter((part) => part !== undefined).join(' ');
}

export type Files = readonly (readonly [name: string, type: string, content: string])[];

function form(input: unknown, files: Files): string {
  const json = JSON.stringify(input);
  const parts = [
    `Content-Disposition: form-data; name="input"\r\nContent-Type: application/json\r\n\r\n${json}`,
    ...files.map(
      ([name, type, content]) =>
        `Content-Disposition: form-data; name="evidence-file"; filename="${name}"\r\nContent-Type: ${type}\r\n\r\n${content}`,
    ),
  ];
  return `${parts.map((part) => `--limit\r\n${part}\r\n`).join('')}--limit--\r\n`;
}

export function disputesOf(client: TestClient) {
  let keys = 0;
  const list = async (account: string): Promise<Json[]> =>
    (await client.get(account, disputes)).json.items ?? [];
  const show = async (account: string): Promise<Json> => {
    const [first] = await list(account);
    return (await client.get(account, `${disputes}/${first.dispute_id}`)).json;
  };
  return {
    list,
    /** Returns the account's newest dispute. */
    show,
    async pay(account: string, name = 'Ada Lovelace', value = '19.99', currency_code = 'EUR') {
      const body = order(cardSource({ name }), { amount: { currency_code, value } });
      const answer = await client.post(account, ordersPath, body, `pay-${keys++}`);
      return { reference: referenceOf(body), capture: String(captured(answer).id) };
    },
    /** Moves time forward, delivers due events and returns the position of the newest dispute. */
    async pass(account: string, ms = 5_000): Promise<string> {
      await client.sendDue(account, ms);
      return standing(await show(account));
    },
    /** Lists the events about the account's disputes in order. */
    notified: (account: string): string[] =>
      client.deliveries
        .filter(({ url, event }) => url.endsWith(`/${account}`) && event.event_type.includes('DISPUTE'))
        .map(({ event }) => `${event.event_type.slice(17)}: ${standing(event.resource)}`),
    /** Performs an action on the newest dispute by posting a form. */
    async perform(account: string, action: string, input: unknown, ...files: Files): Promise<Answer> {
      const { dispute_id: id } = await show(account);
      const headers = { 'content-type': 'multipart/form-data; boundary=limit' };
      return client.post(account, `${disputes}/${id}/${action}`, form(input, files), undefined, headers);
    },
  };
}
