import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { expectError } from '../../support/expect-error.ts';
import { Merchant, till } from '../../support/merchant.ts';

const path = '/api/v1/payment_links';
const course = { title: 'Pottery course', currency: 'EUR', amount: 4990 };
const open = { title: 'Donation', currency: 'EUR', amount_range: { min: 100, max: 90_000 } };

let shop: Merchant;

beforeAll(async () => {
  shop = await Merchant.open();
});

const create = (fields: object, key: string | null = null) =>
  shop.post(path, fields, { idempotencyKey: key });
const update = (id: string, fields: object) => shop.call('PATCH', `${path}/${id}`, { body: fields });

describe('creating a payment link', () => {
  it('with a title and an amount leaves every other field as it is described', async () => {
    const { status, body } = await create(course);
    expect(status).toBe(201);
    expect(body).toEqual({
      id: expect.stringMatching(/^pl_[a-z0-9]{24}$/),
      object: 'payment_link',
      url: expect.stringMatching(/^https?:\/\/[^/]+\/pay\/[a-z0-9]{49}$/),
      status: 'active',
      ...course,
      description: null,
      amount_range: null,
      max_payments: null,
      payments_count: 0,
      expires_at: null,
      reference_label: null,
      save_payment_method: false,
      success_url: null,
      failure_url: null,
      metadata: {},
      livemode: false,
      created: expect.any(Number),
    });
    expect((await shop.get(`${path}/${body.id}`)).body).toEqual(body);
  });

  it('keeps every field as sent', async () => {
    const fields = {
      ...open,
      amount_range: { min: 100, max: 90_000, suggested: 2000 },
      description: 'For the roof',
      max_payments: 3,
      expires_at: '2040-12-31T23:59:59Z',
      reference_label: 'Your name',
      save_payment_method: true,
      success_url: 'https://shop.example/ok',
      failure_url: 'https://shop.example/failed',
      metadata: { campaign: 'roof' },
    };
    const { body } = await create(fields);
    expect(body).toMatchObject({ ...fields, amount: null });
  });

  it('answers the same link under the same Idempotency-Key, and 409 for another body', async () => {
    const key = randomUUID();
    const first = await create(course, key);
    const second = await create(course, key);
    expect(second.text).toBe(first.text);
    expect(second.headers.get('idempotent-replayed')).toBe('true');
    expectError(await create(open, key), 'key_reused');
  });

  it.each([
    ['title', { ...course, title: undefined }],
    ['title', { ...course, title: '  ' }],
    ['title', { ...course, title: 'x'.repeat(121) }],
    ['title', { ...course, title: 'Course\r\nBcc: eve@shop.example' }],
    ['currency', { ...course, currency: 'XXX' }],
    ['currency', { ...course, currency: 'eur' }],
    ['amount', { title: 'Course', currency: 'EUR' }],
    ['amount', { ...course, amount: 0 }],
    ['amount', { ...course, amount: '4990' }],
    ['amount_range', { ...course, amount_range: { min: 1, max: 2 } }],
    ['amount_range.max', { ...open, amount_range: { min: 5, max: 2 } }],
    ['amount_range.min', { ...open, amount_range: { max: 2 } }],
    ['amount_range.suggested', { ...open, amount_range: { min: 1, max: 2, suggested: 3 } }],
    ['max_payments', { ...course, max_payments: 0 }],
    ['expires_at', { ...course, expires_at: '2020-01-01T00:00:00Z' }],
    ['expires_at', { ...course, expires_at: '2040-02-30T00:00:00Z' }],
    ['expires_at', { ...course, expires_at: 'tomorrow' }],
    ['reference_label', { ...course, reference_label: '' }],
    ['reference_label', { ...course, reference_label: 'Name\nof the course' }],
    ['success_url', { ...course, success_url: 'http://shop.example/ok' }],
    ['failure_url', { ...course, failure_url: 'shop' }],
    ['metadata.a', { ...course, metadata: { a: 'x'.repeat(501) } }],
  ])('refuses a wrong %s and names it: %j', async (param, fields) => {
    expectError(await create(fields), 'invalid_params', param);
  });

  it('says what a blank title should have been', async () => {
    const { body } = await create({ ...course, title: '  ' });
    expect(body.error.message).toBe('title must be one line of text that is not blank; "  " was sent.');
  });
});

describe('updating a payment link', () => {
  it('changes the fields that are sent, and null clears one', async () => {
    const { id } = (await create({ ...course, description: 'Ten evenings', max_payments: 5 })).body;
    const changes = {
      title: 'Course',
      description: null,
      max_payments: null,
      expires_at: '2040-01-01T00:00:00Z',
    };
    const { status, body } = await update(id, changes);
    expect(status).toBe(200);
    expect(body).toMatchObject({ ...changes, amount: 4990 });
    expect((await shop.get(`${path}/${id}`)).body).toEqual(body);
  });

  it('switches it off and on', async () => {
    const { id } = (await create(course)).body;
    expect((await update(id, { status: 'inactive' })).body.status).toBe('inactive');
    expect((await update(id, { status: 'active' })).body.status).toBe('active');
  });

  it.each([
    ['status', { status: 'completed' }],
    ['title', { title: null }],
    ['expires_at', { expires_at: '2020-01-01T00:00:00Z' }],
    ['max_payments', { max_payments: 1.5 }],
  ])('refuses a wrong %s and names it: %j', async (param, fields) => {
    const { id } = (await create(course)).body;
    expectError(await update(id, fields), 'invalid_params', param);
  });

  it('of another merchant or an unknown one is a 404', async () => {
    const other = await Merchant.open();
    const { id } = (await create(course)).body;
    for (const unknown of [id, 'pl_000000000000000000000000', 'pay_1']) {
      expectError(await other.get(`${path}/${unknown}`), 'not_found');
      expectError(await other.call('PATCH', `${path}/${unknown}`, { body: { title: 'Mine' } }), 'not_found');
    }
    expect((await shop.get(`${path}/${id}`)).body.title).toBe(course.title);
  });
});

describe('listing payment links', () => {
  it('pages through them, newest first, and by status', async () => {
    const merchant = await Merchant.open();
    const made: string[] = [];
    for (const fields of [course, open, { ...course, expires_at: '2030-01-01T00:00:00Z' }]) {
      made.unshift((await merchant.post(path, fields)).body.id);
    }
    const [, second] = made;
    await merchant.call('PATCH', `${path}/${second}`, { body: { status: 'inactive' } });
    const ids = async (query: string) =>
      ((await merchant.get(`${path}${query}`)).body.data as { id: string }[]).map(({ id }) => id);
    expect(await ids('')).toEqual(made);
    expect((await merchant.get(`${path}?per_page=2`)).body).toMatchObject({ has_more: true, total_count: 3 });
    expect(await ids('?per_page=2&page=2')).toEqual(made.slice(2));
    expect(await ids('?status=inactive')).toEqual([second]);
    expect(await ids('?status=active')).toEqual([made[0], made[2]]);
    expect(await ids('?status=completed')).toEqual([]);
    await till('clock', 'advance', '--account', merchant.id, '--seconds', String(6 * 365 * 86_400));
    expect(await ids('?status=expired')).toEqual([made[0]]);
    expectError(await merchant.get(`${path}?status=gone`), 'invalid_params', 'status');
  });
});

describe('the events of a payment link', () => {
  it('report that it was made and changed, as retrieve shows it then, and nothing where nothing changed', async () => {
    const merchant = await Merchant.open();
    const made = (await merchant.post(path, course)).body;
    const changes = { status: 'inactive' };
    const changed = (await merchant.call('PATCH', `${path}/${made.id}`, { body: changes })).body;
    await merchant.call('PATCH', `${path}/${made.id}`, { body: changes });
    const { data } = (await merchant.get('/api/v1/events')).body;
    expect(data).toMatchObject([
      { type: 'payment_link.updated', sequence: 2, data: { object: changed } },
      { type: 'payment_link.created', sequence: 1, data: { object: made } },
    ]);
    expect(data).toHaveLength(2);
  });
});
