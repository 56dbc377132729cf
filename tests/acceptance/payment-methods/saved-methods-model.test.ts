import fc from 'fast-check';
import { expect, it } from 'vitest';
import { freshEmail, Merchant, till } from '../../support/merchant.ts';

/** One customer of one account. */
interface Owner {
  readonly shop: string;
  readonly customer: string;
}

interface Method {
  readonly id: string;
  readonly owner: Owner;
  removed: boolean;
  /** The number of the save that last returned this method. The newest card is the one that was saved last. */
  saved: number;
}

interface Model {
  readonly methods: Method[];
  saves: number;
}

/** One account of processor_a and two of processor_b, with two customers each. */
interface Shops {
  readonly merchants: Readonly<Record<string, Merchant>>;
  readonly owners: readonly Owner[];
}

const urls = { success_url: 'https://shop.example/ok', failure_url: 'https://shop.example/no' };

async function openShops(): Promise<Shops> {
  const [a, b, otherB] = await Promise.all([
    Merchant.open('processor_a'),
    Merchant.open('processor_b'),
    Merchant.open('processor_b'),
  ]);
  const merchants: Record<string, Merchant> = { a, b, otherB };
  const owners: Owner[] = [];
  for (const [shop, merchant] of Object.entries(merchants)) {
    for (let n = 0; n < 2; n += 1) {
      const { body } = await merchant.post('/api/v1/customers', { email: freshEmail() });
      owners.push({ shop, customer: body.id });
    }
  }
  return { merchants, owners };
}

const of = <T>(list: readonly T[], index: number): T | undefined => list[index % Math.max(list.length, 1)];

type Command = fc.AsyncCommand<Model, Shops>;

const command = (name: string, needsMethod: boolean, run: Command['run']): Command => ({
  check: (model) => !needsMethod || model.methods.length > 0,
  run,
  toString: () => name,
});

const merchantOf = ({ merchants }: Shops, { shop }: Owner): Merchant => {
  const merchant = merchants[shop];
  if (merchant === undefined) throw new Error(`there is no shop ${shop}`);
  return merchant;
};

const save = (by: number, brand: number) =>
  command(`save(${by}, ${brand})`, false, async (model, shops) => {
    const owner = of(shops.owners, by) as Owner;
    const { body } = await merchantOf(shops, owner).pay({
      customer: owner.customer,
      save_payment_method: true,
      card: { number: of(['4111111111111111', '5555555555554444'], brand) },
    });
    expect(body.payment_method_id).toMatch(/^pm_/);
    const known = model.methods.find((method) => method.id === body.payment_method_id);
    model.saves += 1;
    if (known === undefined) {
      model.methods.push({ id: body.payment_method_id, owner, removed: false, saved: model.saves });
      return;
    }
    expect(known).toMatchObject({ owner, removed: false });
    known.saved = model.saves;
  });

const remove = (index: number, by: number) =>
  command(`remove(${index} by ${by})`, true, async (model, shops) => {
    const method = of(model.methods, index) as Method;
    const remover = of(shops.owners, by) as Owner;
    const { status } = await merchantOf(shops, remover).call(
      'DELETE',
      `/api/v1/payment_methods/${method.id}`,
    );
    const allowed = remover.shop === method.owner.shop && !method.removed;
    expect(status).toBe(allowed ? 200 : 404);
    if (allowed) method.removed = true;
  });

const charge = (index: number, by: number, offSession: boolean) =>
  command(`charge(${index} by ${by}${offSession ? ', off-session' : ''})`, true, async (model, shops) => {
    const method = of(model.methods, index) as Method;
    const payer = of(shops.owners, by) as Owner;
    const reply = await merchantOf(shops, payer).post('/api/v1/payments', {
      amount: 500,
      currency: 'EUR',
      customer: payer.customer,
      stored_payment_method: method.id,
      merchant_initiated: offSession,
      ...urls,
    });
    const allowed = payer.customer === method.owner.customer && !method.removed;
    expect([reply.status, reply.body.status ?? reply.body.error.param]).toEqual(
      allowed ? [201, 'succeeded'] : [422, 'stored_payment_method'],
    );
  });

const chargeNewest = (by: number) =>
  command(`charge newest of ${by}`, false, async (model, shops) => {
    const payer = of(shops.owners, by) as Owner;
    const reply = await merchantOf(shops, payer).post('/api/v1/payments', {
      amount: 500,
      currency: 'EUR',
      customer: payer.customer,
      use_last_payment_method: true,
      ...urls,
    });
    const newest = model.methods
      .filter((method) => method.owner.customer === payer.customer && !method.removed)
      .toSorted((one, other) => one.saved - other.saved)
      .at(-1)?.id;
    expect([reply.status, reply.body.payment_method_id]).toEqual(
      newest === undefined ? [422, undefined] : [201, newest],
    );
  });

const owner = fc.nat({ max: 5 });
const method = fc.nat({ max: 11 });
const runs = 15;

it(`lets no sequence of save, remove and charge use a method of somebody else (${runs} sequences)`, {
  timeout: 180_000,
}, async () => {
  const shops = await openShops();
  const commands = fc.commands(
    [
      fc.tuple(owner, fc.nat({ max: 1 })).map(([by, brand]) => save(by, brand)),
      fc.tuple(method, owner).map(([one, by]) => remove(one, by)),
      fc.tuple(method, owner, fc.boolean()).map(([one, by, off]) => charge(one, by, off)),
      owner.map(chargeNewest),
    ],
    { maxCommands: 25 },
  );
  const kept: Model = { methods: [], saves: 0 };
  await fc.assert(
    fc.asyncProperty(commands, (sequence) =>
      // The server keeps the methods between runs, so the model is kept as well.
      fc.asyncModelRun(() => ({ model: kept, real: shops }), sequence),
    ),
    { numRuns: runs, endOnFailure: true },
  );
});

it('keeps the modes of one account apart', async () => {
  const shop = await Merchant.open('processor_b');
  const saved = (await shop.pay({ customer: { email: freshEmail() }, save_payment_method: true })).body;
  await till('accounts', 'update', shop.id, '--environment', 'live', '--activation', 'active');
  const { secret_key: key } = await till<{ secret_key: string }>('keys', 'create', '--account', shop.id);
  const live = new Merchant(shop.id, key);
  const customer = (await live.post('/api/v1/customers', { email: freshEmail() })).body.id;
  const body = { amount: 500, currency: 'EUR', stored_payment_method: saved.payment_method_id, ...urls };
  expect((await live.post('/api/v1/payments', { ...body, customer })).body.error.param).toBe(
    'stored_payment_method',
  );
  expect((await live.post('/api/v1/payments', { ...body, customer: saved.customer })).body.error.code).toBe(
    'customer_not_found',
  );
  expect((await live.get(`/api/v1/payment_methods/${saved.payment_method_id}`)).status).toBe(404);
});
