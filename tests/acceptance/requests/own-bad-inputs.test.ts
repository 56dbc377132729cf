import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { expectEnvelope, expectError } from '../../support/expect-error.ts';
import {
  cardPayment,
  freshEmail,
  Merchant,
  type Reply,
  testCard,
  withRateLimitRetries,
} from '../../support/merchant.ts';
import { sendPlain } from '../../support/raw-http.ts';
import { type FieldInputs, fieldInputs } from './own-bad-inputs.ts';
import { headerInputs, pathInputs, queryInputs } from './own-odd-requests.ts';

const payments = '/api/v1/payments';
const customers = '/api/v1/customers';
const item = { name: 'Socks', unit_amount: 4990 };

let shop: Merchant;
const charged: string[] = [];

beforeAll(async () => {
  shop = await Merchant.open();
});

const withJson = (object: object, field: string, json: string) =>
  `{${[
    ...Object.entries(object)
      .filter(([name]) => name !== field)
      .map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`),
    `${JSON.stringify(field)}:${json}`,
  ].join(',')}}`;

/** The request body with the JSON text in its place, and the path with which an error names it. */
function place({ at, field }: FieldInputs, json: string): { path: string; raw: string; param: string } {
  switch (at) {
    case 'payment':
      return { path: payments, raw: withJson(cardPayment(), field, json), param: field };
    case 'card': {
      const raw = withJson(cardPayment(), 'payment_method', withJson(testCard, field, json));
      return { path: payments, raw, param: `payment_method.${field}` };
    }
    case 'item': {
      const raw = withJson(cardPayment(), 'line_items', `[${withJson(item, field, json)}]`);
      return { path: payments, raw, param: `line_items[0].${field}` };
    }
    case 'customer':
      return { path: customers, raw: withJson({ email: freshEmail() }, field, json), param: field };
    default:
      throw new Error(`no place for ${String(at)}`);
  }
}

async function send(path: string, raw: string): Promise<Reply> {
  const reply = await shop.call('POST', path, { raw });
  if (reply.status === 201 && path === payments) charged.push(reply.body.id);
  return reply;
}

const rows = (which: 'refused' | 'taken') =>
  fieldInputs.flatMap((inputs) =>
    (inputs[which] ?? []).map(
      (json) => [`${inputs.at}.${inputs.field}`, json.slice(0, 50), json, inputs] as const,
    ),
  );

describe('our own bad inputs', () => {
  it.each(rows('refused'))('%s refuses %s', async (_where, _shown, json, inputs) => {
    const { path, raw, param } = place(inputs, json);
    const reply = await send(path, raw);
    expectError(reply, 'invalid_params');
    // A value may be refused because of one of its members.
    expect(reply.body.error.param).toMatch(new RegExp(`^${param.replaceAll(/[[\]]/g, '\\$&')}($|[.[])`));
    expect(reply.body.error.message).toContain(param);
  });

  it.each(rows('taken'))('%s takes %s', async (_where, _shown, json, inputs) => {
    const { path, raw } = place(inputs, json);
    const reply = await send(path, raw);
    expect(reply.status).toBe(201);
    if (inputs.at === 'customer' || inputs.field === 'reference') {
      expect(reply.body[inputs.field]).toEqual(withoutUnknown(JSON.parse(json)));
    }
  });

  it.each(queryInputs)('the query %s', async (query, fault) => {
    for (const list of [customers, payments, '/api/v1/events']) {
      const reply = await shop.get(`${list}?${query}`);
      if (fault === null) expect(reply.status).toBe(200);
      else expectError(reply, 'invalid_params', fault);
    }
  });

  it.each(headerInputs)('the header: %s', async (_name, headers, code) => {
    const reply = await sendPlain({
      method: 'POST',
      path: payments,
      headers: {
        authorization: `Bearer ${shop.key}`,
        'content-type': 'application/json',
        'idempotency-key': randomUUID(),
        ...headers,
      },
      body: Buffer.from(
        headers['content-encoding'] === undefined ? JSON.stringify(cardPayment()) : '\x0b\x02',
      ),
    });
    expectError(reply, code);
  });

  it.each(pathInputs)('the path %s', async (id) => {
    for (const list of [payments, customers, '/api/v1/events']) {
      const reply = await withRateLimitRetries(() =>
        sendPlain({
          method: 'GET',
          path: `${list}/${id}`,
          headers: { authorization: `Bearer ${shop.key}` },
        }),
      );
      expect(reply.status).toBe(404);
      expectEnvelope(reply);
    }
  });

  it('charge nothing that was not answered as charged', async () => {
    const { charges } = await shop.ledger();
    expect(charges.map((charge) => charge.reference).sort()).toEqual([...charged].sort());
  });
});

/** Removes members that an address does not have. */
function withoutUnknown(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || !('planet' in value)) return value;
  const { planet: _unknown, ...rest } = value;
  return rest;
}
