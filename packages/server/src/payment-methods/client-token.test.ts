import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { AccountContext } from '../accounts/context.ts';
import { createClientToken } from './client-token.ts';
import { createMethodsWorld } from './test-kit.ts';

let world: Awaited<ReturnType<typeof createMethodsWorld>>;
let shop: AccountContext;

beforeAll(async () => {
  world = await createMethodsWorld();
});
beforeEach(async () => {
  shop = world.context(await world.database.openAccount());
  world.processor.clientTokens.length = 0;
  world.processor.mint = () => ({
    kind: 'minted',
    token: 'tok_browser',
    clientId: 'client_1',
    lifetimeSeconds: 900,
  });
  world.connection.isThere = true;
});
afterAll(() => world.database.drop());

const create = (body = {}, where = shop) => createClientToken(world.deps, where, body);
const code = (name: string) => expect.objectContaining({ code: name });

describe('a client token', () => {
  it('expires after 15 minutes of account time', async () => {
    const now = new Date('2030-02-28T23:50:00.900Z');
    expect(await create({}, { ...shop, now })).toEqual({
      object: 'client_token',
      client_token: 'tok_browser',
      client_id: 'client_1',
      provider: 'processor_b',
      customer: null,
      created: 1_898_553_000,
      expires_at: '2030-03-01T00:05:00Z',
    });
    expect(world.processor.clientTokens).toEqual([{ upstreamCustomer: null, domains: [] }]);
  });

  it('is bound to the host names of the sites, without duplicates', async () => {
    await create({ domains: ['https://Shop.example:8443', 'shop.example', 'www.shop.example:3000'] });
    expect(world.processor.clientTokens[0]?.domains).toEqual(['shop.example', 'www.shop.example']);
  });

  it('carries the upstream’s id of the customer', async () => {
    const customer = await world.addCustomer(shop);
    expect((await create({ customer })).customer).toBe(customer);
    await world.save(shop, customer, { saved: { token: 'a', upstreamCustomer: 'up_1' } });
    await create({ customer });
    expect(world.processor.clientTokens.map((request) => request.upstreamCustomer)).toEqual([null, 'up_1']);
  });

  it('customer_not_found for an unknown customer', async () => {
    const other = world.context(await world.database.openAccount());
    const foreign = await world.addCustomer(other);
    for (const customer of [foreign, 'cus_none'])
      await expect(create({ customer })).rejects.toEqual(code('customer_not_found'));
    expect(world.processor.clientTokens).toEqual([]);
  });

  it('422 without a connection to processor_b', async () => {
    const refused = code('no_provider_connection');
    await expect(create({}, { ...shop, processor: 'processor_a' })).rejects.toEqual(refused);
    const connection = { connected: false, threeDSecure: 'off' } as const;
    await expect(create({}, { ...shop, connection })).rejects.toEqual(refused);
    world.connection.isThere = false;
    await expect(create()).rejects.toEqual(refused);
    expect(world.processor.clientTokens).toEqual([]);
  });

  it.each(['provider_error', 'provider_unavailable'] as const)(
    '%s where the processor fails',
    async (answer) => {
      world.processor.mint = () => ({ kind: 'not_executed', answer, reason: 'fault' });
      await expect(create()).rejects.toEqual(code(answer));
    },
  );
});
