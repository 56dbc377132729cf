import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { answering, createDevelopersKit, type DevelopersKit } from './test-kit.ts';

let kit: DevelopersKit;
let account: string;
let developer: Awaited<ReturnType<DevelopersKit['signIn']>>;
beforeAll(async () => {
  kit = await createDevelopersKit();
});
beforeEach(async () => {
  account = await kit.openAccount();
  developer = await kit.signIn(account, 'developer');
});
afterAll(() => kit.drop());

const events = () => `/accounts/${account}/events`;
const get = async (path: string) => (await developer.call('GET', path)).body;
const ids = async (query: string) =>
  (await get(`${events()}?${query}`)).data.map(({ id }: { id: string }) => id);

async function add(url: string): Promise<string> {
  const path = `/accounts/${account}/webhook_endpoints`;
  const { body } = await developer.call('POST', path, { body: { url, additional_events: false } });
  return body.endpoint.id;
}

describe('the log of events', () => {
  it('is listed newest first, by type, object, event and time, of this mode only', async () => {
    const first = await kit.writeEvents(account, { count: 2 });
    kit.clock.move(60_000);
    const at = kit.clock.now().toISOString().replace('.000Z', 'Z');
    const [failed = ''] = await kit.writeEvents(account, { type: 'payment.failed' });
    await kit.writeEvents(account, { livemode: true });
    const { data, ...page } = await get(events());
    expect(page).toEqual({ object: 'list', has_more: false, total_count: 3, capped: false });
    expect(data[0]).toEqual({
      id: failed,
      type: 'payment.failed',
      object_id: expect.stringMatching(/^pay_/),
      sequence: 1,
      livemode: false,
      created_at: at,
    });
    expect(await ids('type=payment.failed')).toEqual([failed]);
    expect(await ids(`search=${data[0].object_id}`)).toEqual([failed]);
    expect(await ids(`search=${failed}`)).toEqual([failed]);
    expect(await ids('search=nothing')).toEqual([]);
    expect(await ids(`from=${at}`)).toEqual([failed]);
    expect((await ids(`to=${at}`)).sort()).toEqual([...first].sort());
    expect((await get(`${events()}?to=${at}&per_page=1&page=2`)).total_count).toBe(2);
    expect(await ids(`to=${at}&per_page=1&page=2`)).toHaveLength(1);
    expect(await ids(`to=${at}&per_page=1&page=3`)).toEqual([]);
    expect(await ids(`from=${at}&to=${at}`)).toEqual([]);
    expect(await ids('type=payment.failed&from=2099-01-01T00:00:00Z')).toEqual([]);
  });

  it('is empty at first, with and without a filter', async () => {
    const empty = { object: 'list', data: [], has_more: false, total_count: 0, capped: false };
    expect(await get(events())).toEqual(empty);
    expect(await get(`${events()}?type=payment.failed`)).toEqual(empty);
    expect(await get(`${events()}?from=2026-01-01T00:00:00Z`)).toEqual(empty);
  });

  it('shows an event whole, with where it was sent to', async () => {
    const endpoint = await add('https://shop.example/hooks');
    const [event = ''] = await kit.writeEvents(account, { object: { note: '<b>' } });
    await kit.attempt(account, answering(200));
    await developer.call('DELETE', `/accounts/${account}/webhook_endpoints/${endpoint}`);
    const shown = await get(`${events()}/${event}`);
    expect(shown.event).toMatchObject({ id: event, object: 'event', data: { object: { note: '<b>' } } });
    expect(shown.deliveries).toMatchObject([
      {
        url: 'https://shop.example/hooks',
        endpoint_deleted: true,
        delivery: { endpoint, state: 'succeeded' },
      },
    ]);
    expect((await developer.call('GET', `${events()}/evt_x`)).status).toBe(404);
  });

  it('may be read by everybody, and resent by developers only', async () => {
    const [event = ''] = await kit.writeEvents(account);
    const viewer = await kit.signIn(account, 'viewer');
    expect((await viewer.call('GET', events())).status).toBe(200);
    expect((await viewer.call('GET', `${events()}/${event}`)).status).toBe(200);
    const refused = await viewer.call('POST', `${events()}/${event}/resend`, { body: { endpoint: 'we_x' } });
    expect([refused.status, refused.body.error.code]).toEqual([403, 'forbidden']);
  });
});

describe('an event', () => {
  it('is sent to an endpoint that was added later, and once more to one that had it', async () => {
    const [event = ''] = await kit.writeEvents(account);
    const endpoint = await add('https://late.example/hooks');
    const resend = (to: string) =>
      developer.call('POST', `${events()}/${event}/resend`, { body: { endpoint: to } });
    const first = await resend(endpoint);
    expect(first).toMatchObject({ status: 200, body: { event, endpoint, state: 'pending', attempts: 0 } });
    await kit.attempt(account, answering(200));
    const again = await resend(endpoint);
    expect(again.body).toMatchObject({
      id: first.body.id,
      state: 'pending',
      last_attempt: { answer_status: 200 },
    });
    expect((await resend('we_x')).status).toBe(404);
    await developer.call('POST', `/accounts/${account}/webhook_endpoints/${endpoint}/pause`);
    expect((await resend(endpoint)).body.error.code).toBe('conflict');
    expect((await kit.audit(account)).filter(({ action }) => action === 'event.resent')).toHaveLength(2);
  });

  it('of the other mode or of another account is not there', async () => {
    const [event = ''] = await kit.writeEvents(account, { livemode: true });
    const endpoint = await add('https://shop.example/hooks');
    const body = { endpoint };
    expect((await developer.call('POST', `${events()}/${event}/resend`, { body })).status).toBe(404);
    expect((await developer.call('GET', `${events()}/${event}`)).status).toBe(404);
    const other = await kit.openAccount();
    const [foreign = ''] = await kit.writeEvents(other);
    expect((await developer.call('GET', `${events()}/${foreign}`)).status).toBe(404);
  });
});
