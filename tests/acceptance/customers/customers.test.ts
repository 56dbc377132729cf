import { beforeAll, describe, expect, it } from 'vitest';
import { expectError } from '../../support/expect-error.ts';
import { freshEmail, Merchant, till } from '../../support/merchant.ts';

const path = '/api/v1/customers';
const dayMs = 86_400_000;
const isoDate = (ms: number) => new Date(ms).toISOString().slice(0, 10);

let shop: Merchant;

beforeAll(async () => {
  shop = await Merchant.open();
});

const create = (fields: Record<string, unknown>) => shop.post(path, { email: freshEmail(), ...fields });
const update = (id: string, fields: unknown) => shop.call('PATCH', `${path}/${id}`, { body: fields });

const address = {
  line1: '1 Main Street',
  line2: 'Flat 2',
  city: 'Springfield',
  postal_code: '12345',
  state: 'IL',
  country: 'US',
};
const full = {
  name: 'Jane Smith',
  phone: '+49 30 123456',
  locale: 'en-GB',
  external_id: 'shop-17',
  billing_address: address,
  delivery_address: { country: 'DE' },
  date_of_birth: '1990-02-28',
  metadata: { tier: 'gold', note: '' },
};
const metadata = (keys: number, keyLength: number, valueLength: number) =>
  Object.fromEntries(
    Array.from({ length: keys }, (_none, n) => [String(n).padStart(keyLength, 'k'), 'v'.repeat(valueLength)]),
  );

describe('creating a customer', () => {
  it('with an e-mail address only leaves every other field null and metadata empty', async () => {
    const email = freshEmail();
    const before = Math.floor(Date.now() / 1000);
    const reply = await shop.post(path, { email });
    expect(reply.status).toBe(201);
    expect(reply.body).toEqual({
      id: expect.stringMatching(/^cus_[a-z0-9]{24}$/),
      object: 'customer',
      email,
      name: null,
      phone: null,
      locale: null,
      external_id: null,
      billing_address: null,
      delivery_address: null,
      date_of_birth: null,
      metadata: {},
      livemode: false,
      created: expect.any(Number),
    });
    expect(Number.isInteger(reply.body.created)).toBe(true);
    // The server may run on another machine with another clock.
    expect(Math.abs(reply.body.created - before)).toBeLessThan(300);
  });

  it('keeps every field as sent', async () => {
    const email = freshEmail();
    const reply = await create({ email, ...full });
    expect(reply.body).toMatchObject({ email, ...full });
    expect((await shop.get(`${path}/${reply.body.id}`)).text).toBe(reply.text);
  });

  it('ignores unknown fields and does not echo them', async () => {
    const reply = await create({ nickname: 'JJ', id: 'cus_mine', livemode: true });
    expect(reply.status).toBe(201);
    expect(reply.body).not.toHaveProperty('nickname');
    expect(reply.body.id).not.toBe('cus_mine');
    expect(reply.body.livemode).toBe(false);
  });

  it('takes null for an optional field as absent', async () => {
    const nulls = Object.fromEntries(Object.keys(full).map((field) => [field, null]));
    const reply = await create(nulls);
    expect(reply.status).toBe(201);
    expect(reply.body).toMatchObject({ ...nulls, metadata: {} });
  });

  it('trims the e-mail address, keeps its letter case and compares it without', async () => {
    const email = freshEmail().replace(/^/, 'Big.');
    const reply = await create({ email: `  ${email} ` });
    expect(reply.body.email).toBe(email);
    expectError(await create({ email: email.toUpperCase() }), 'customer_email_taken', 'email');
    expectError(await create({ email: `${email} ` }), 'customer_email_taken', 'email');
  });

  it('refuses an external_id that is on file', async () => {
    expect((await create({ external_id: 'once' })).status).toBe(201);
    expectError(await create({ external_id: 'once' }), 'customer_external_id_taken', 'external_id');
    expect((await create({ external_id: 'ONCE' })).status).toBe(201);
  });

  it.each([
    ['metadata of 20 keys', { metadata: metadata(20, 10, 10) }],
    ['metadata with a key of 40 characters', { metadata: metadata(1, 40, 1) }],
    ['metadata with a value of 500 characters', { metadata: metadata(1, 3, 500) }],
    ['metadata with a value of 500 emoji', { metadata: { a: '😀'.repeat(500) } }],
    ['metadata with a key named __proto__', { metadata: JSON.parse('{"__proto__":"x"}') as unknown }],
    ['a name of 255 characters', { name: 'n'.repeat(255) }],
    ['a name of 255 emoji', { name: '😀'.repeat(255) }],
    ['a name with line breaks', { name: 'A\r\nBcc: x@x.test' }],
    ['a phone number that is none', { phone: 'call me' }],
    ['a locale without a region', { locale: 'de' }],
    ['an empty address', { billing_address: {} }],
    ['a US address without state', { billing_address: { line1: '1 Main', country: 'US' } }],
    ['a date of birth of today', { date_of_birth: isoDate(Date.now()) }],
    ['a date of birth on a leap day', { date_of_birth: '2024-02-29' }],
  ])('accepts %s', async (_name, fields) => {
    const reply = await create(fields);
    expect(reply.status).toBe(201);
    expect(reply.body).toMatchObject(fields);
  });

  it('accepts an e-mail address of 254 characters and refuses one of 255', async () => {
    const domain = `@${'d'.repeat(60)}.example`;
    const local = freshEmail()
      .slice(0, 13)
      .padEnd(254 - domain.length, 'a');
    expect((await create({ email: `${local}${domain}` })).status).toBe(201);
    expectError(await create({ email: `${local}b${domain}` }), 'invalid_params', 'email');
  });
});

/** A field, an invalid value for it, and the path that the error names if that is not the field itself. */
const wrongValues: readonly (readonly [field: string, value: unknown, param?: string])[] = [
  ...['', ' ', 'nobody', '@x.test', 'a@', 'a@localhost', 'a@b@x.test', 'a b@x.test', 'a@x..test'].map(
    (email): [string, unknown] => ['email', email],
  ),
  ...[5, true, {}, ['a@x.test']].map((email): [string, unknown] => ['email', email]),
  ['name', 5],
  ['name', 'n'.repeat(256)],
  ['name', 'a\u0000b'],
  ['phone', 4930123456],
  ['phone', '1'.repeat(256)],
  ...['english', 'en_GB', 'en-GBR', '', 5].map((locale): [string, unknown] => ['locale', locale]),
  ['external_id', 17],
  ['external_id', 'x'.repeat(256)],
  ['billing_address', 'Main Street'],
  ['billing_address', []],
  ['billing_address', { country: 'ZZ' }, 'billing_address.country'],
  ['billing_address', { country: 'us' }, 'billing_address.country'],
  ['billing_address', { country: 'USA' }, 'billing_address.country'],
  ['billing_address', { country: '' }, 'billing_address.country'],
  ['billing_address', { line1: 5 }, 'billing_address.line1'],
  ['billing_address', { line2: 'l'.repeat(256) }, 'billing_address.line2'],
  ['billing_address', { city: {} }, 'billing_address.city'],
  ['billing_address', { postal_code: 12345 }, 'billing_address.postal_code'],
  ['billing_address', { state: false }, 'billing_address.state'],
  ['delivery_address', 5],
  ['delivery_address', { country: 'XX' }, 'delivery_address.country'],
  ['date_of_birth', '2023-02-30'],
  ['date_of_birth', '2023-13-01'],
  ['date_of_birth', '28.02.1990'],
  ['date_of_birth', '1990-02-28T00:00:00Z'],
  ['date_of_birth', 19900228],
  ['date_of_birth', isoDate(Date.now() + 3 * dayMs)],
  ['metadata', 'gold'],
  ['metadata', ['gold']],
  ['metadata', metadata(21, 10, 10)],
  ['metadata', metadata(1, 41, 10)],
  ['metadata', metadata(1, 3, 501), 'metadata.kk0'],
  ['metadata', { a: 1 }, 'metadata.a'],
  ['metadata', { a: null }, 'metadata.a'],
  ['metadata', { a: { b: 'c' } }, 'metadata.a'],
];

const shown = wrongValues.map(
  ([field, value, param = field]) => [field, JSON.stringify(value).slice(0, 60), value, param] as const,
);

describe('a customer field that is not valid', () => {
  it('is refused: email missing or null', async () => {
    expectError(await shop.post(path, { name: 'Nobody' }), 'invalid_params', 'email');
    expectError(await shop.post(path, { email: null }), 'invalid_params', 'email');
    expectError(await shop.post(path, {}), 'invalid_params', 'email');
  });

  it.each(shown)('is refused on create: %s %s', async (field, _text, value, param) => {
    expectError(await create({ [field]: value }), 'invalid_params', param);
  });

  it.each(shown)('is refused on update: %s %s', async (field, _text, value, param) => {
    const customer = (await create({})).body;
    expectError(await update(customer.id, { [field]: value }), 'invalid_params', param);
    expect((await shop.get(`${path}/${customer.id}`)).body).toEqual(customer);
  });
});

describe('retrieving a customer', () => {
  it('answers 404 for an id that is unknown, of another kind, or no id', async () => {
    const payment = (await shop.pay()).body.id;
    for (const id of [
      'cus_000000000000000000000000',
      payment,
      'x',
      `cus_${'a'.repeat(5000)}`,
      '%00',
      'cus_é',
    ]) {
      expectError(await shop.get(`${path}/${id}`), 'not_found');
    }
  });
});

describe('updating a customer', () => {
  it('changes the named fields and leaves the others', async () => {
    const customer = (await create({ ...full, external_id: 'update-1' })).body;
    const changes = { name: 'Jane Doe', metadata: { tier: 'silver' }, delivery_address: address };
    const reply = await update(customer.id, changes);
    expect(reply.status).toBe(200);
    expect(reply.body).toEqual({ ...customer, ...changes });
    expect((await shop.get(`${path}/${customer.id}`)).body).toEqual(reply.body);
  });

  it('clears a field by null, and not the e-mail address', async () => {
    const customer = (await create({ ...full, external_id: 'update-2' })).body;
    const { metadata: _kept, ...clearable } = full;
    const nulls = Object.fromEntries(Object.keys(clearable).map((field) => [field, null]));
    expect((await update(customer.id, nulls)).body).toEqual({ ...customer, ...nulls });
    expectError(await update(customer.id, { email: null }), 'invalid_params', 'email');
  });

  it('frees and takes e-mail address and external id', async () => {
    const [first, second] = [await create({ external_id: 'u-3' }), await create({ external_id: 'u-4' })];
    const { id, email } = first.body;
    expectError(
      await update(second.body.id, { email: email.toUpperCase() }),
      'customer_email_taken',
      'email',
    );
    expectError(
      await update(second.body.id, { external_id: 'u-3' }),
      'customer_external_id_taken',
      'external_id',
    );
    expect((await update(id, { email: email.toUpperCase() })).body.email).toBe(email.toUpperCase());
    expect((await update(id, { email: freshEmail(), external_id: null })).status).toBe(200);
    const taken = await update(second.body.id, { email, external_id: 'u-3' });
    expect(taken.body).toMatchObject({ email, external_id: 'u-3' });
  });

  it('of several fields at the same time keeps all of them', async () => {
    for (let round = 0; round < 5; round += 1) {
      const { id } = (await create({})).body;
      const changes = [
        { name: 'Jane' },
        { phone: '+49 30 1' },
        { metadata: { 'a\nb': 'c' } },
        { locale: 'de' },
      ];
      await Promise.all(changes.map((change) => update(id, change)));
      expect((await shop.get(`${path}/${id}`)).body).toMatchObject(Object.assign({}, ...changes));
    }
  });

  it('with an empty body changes nothing', async () => {
    const customer = (await create({ ...full, external_id: 'update-5' })).body;
    expect((await update(customer.id, {})).body).toEqual(customer);
  });

  it('answers 404 for an unknown id', async () => {
    expectError(await update('cus_000000000000000000000000', { name: 'x' }), 'not_found');
  });
});

describe('creation time', () => {
  it('follows the clock of a sandbox account', async () => {
    const merchant = await Merchant.open();
    const before = (await merchant.post(path, { email: freshEmail() })).body;
    const { now } = await till<{ now: string }>(
      'clock',
      'advance',
      '--account',
      merchant.id,
      '--seconds',
      '86400',
    );
    const after = (await merchant.post(path, { email: freshEmail() })).body;
    expect(after.created - before.created).toBeGreaterThanOrEqual(86_400);
    // The clock of the command may be up to a second ahead of the server's.
    expect(after.created).toBeGreaterThanOrEqual(Date.parse(now) / 1000 - 1);
    const tomorrow = isoDate(Date.parse(now));
    const born = await merchant.post(path, { email: freshEmail(), date_of_birth: tomorrow });
    expect(born.status).toBe(201);
  });
});
