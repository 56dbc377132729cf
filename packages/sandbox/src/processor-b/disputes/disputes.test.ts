import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../test-database.ts';
import { createTestClient, issue, type TestClient } from '../test-client.ts';
import { openDisputeB } from './disputes.ts';
import { disputes, disputesOf, evidence, type Files, lost, standing, waits, won } from './test-disputes.ts';

let db: TestDatabase;
let client: TestClient;
let court: ReturnType<typeof disputesOf>;

beforeAll(async () => {
  db = await createTestDatabase();
  client = createTestClient(db.pool);
  court = disputesOf(client);
});
afterAll(() => db.drop());

describe('a dispute', () => {
  test('opens five seconds after the payment that asks for it, and can be listed and shown', async () => {
    const { reference, capture } = await court.pay('opens', 'SIM-DISPUTE-CHARGEBACK');
    expect(await court.list('opens')).toEqual([]);
    expect(await court.pass('opens')).toBe(`CHARGEBACK ${waits}`);
    expect(court.notified('opens')).toEqual([`CREATED: CHARGEBACK ${waits}`]);
    const [listed] = await court.list('opens');
    expect(listed).toMatchObject({
      dispute_id: expect.stringMatching(/^PP-R-[A-Z]{3}-\d{8}$/),
      reason: 'UNAUTHORISED',
      dispute_state: 'REQUIRED_ACTION',
      dispute_amount: { currency_code: 'EUR', value: '19.99' },
    });
    const shown = await court.show('opens');
    expect(shown).toMatchObject({
      disputed_transactions: [{ seller_transaction_id: capture, custom: reference }],
      external_reason_code: '10.4',
      dispute_channel: 'EXTERNAL',
      evidences: [{ source: 'REQUESTED_FROM_SELLER' }],
      allowed_response_options: { accept_claim: { accept_claim_types: ['REFUND'] } },
      links: [{ rel: 'self' }, { rel: 'provide_evidence' }, { rel: 'accept_claim' }],
    });
    const days = Date.parse(shown.seller_response_due_date) - Date.parse(shown.create_time);
    expect(days).toBe(10 * 24 * 3_600_000);
    expect(await client.get('another', `${disputes}/${shown.dispute_id}`)).toMatchObject({ status: 404 });
  });

  test('is accepted', async () => {
    await court.pay('accepts', 'SIM-DISPUTE-CHARGEBACK');
    await court.pass('accepts');
    const input = { note: 'Sorry', accept_claim_type: 'REFUND' };
    expect(await court.perform('accepts', 'accept-claim', input)).toMatchObject({
      status: 200,
      json: { links: [{ rel: 'self' }] },
    });
    expect(await court.pass('accepts', 0)).toBe('CHARGEBACK RESOLVED ACCEPTED');
    for (const action of ['accept-claim', 'provide-evidence']) {
      expect(
        await court.perform('accepts', action, action === 'accept-claim' ? input : evidence),
      ).toMatchObject(issue('ACTION_NOT_ALLOWED_IN_CURRENT_DISPUTE_STATE'));
    }
    expect(court.notified('accepts').at(-1)).toBe('RESOLVED: CHARGEBACK RESOLVED ACCEPTED');
  });

  test('is defended with words and documents, which it keeps by name', async () => {
    await court.pay('defends', 'SIM-DISPUTE-CHARGEBACK');
    await court.pass('defends');
    expect(
      await court.perform('defends', 'provide-evidence', evidence, [
        '1-proof.pdf',
        'application/pdf',
        '%PDF-1.4',
      ]),
    ).toMatchObject({ status: 200 });
    expect(await court.pass('defends', 0)).toBe('CHARGEBACK UNDER_REVIEW');
    expect((await court.show('defends')).evidences).toEqual([
      {
        evidence_type: 'PROOF_OF_FULFILLMENT',
        dispute_life_cycle_stage: 'CHARGEBACK',
        notes: 'Sent',
        documents: [{ name: '1-proof.pdf' }],
        source: 'SUBMITTED_BY_SELLER',
        date: expect.any(String),
      },
    ]);
    expect(await court.perform('defends', 'provide-supporting-info', { notes: 'More' })).toMatchObject({
      status: 200,
    });
    expect((await court.show('defends')).supporting_info).toMatchObject([{ notes: 'More' }]);
    expect(await court.pass('defends')).toBe(`CHARGEBACK ${won}`);
    expect(court.notified('defends').slice(1)).toEqual([
      'UPDATED: CHARGEBACK UNDER_REVIEW',
      `RESOLVED: CHARGEBACK ${won}`,
    ]);
  });

  test.each<[string, unknown, string, number, Files?]>([
    ['provide-evidence', {}, 'MISSING_REQUIRED_PARAMETER', 400],
    ['provide-evidence', { evidences: [{}] }, 'INVALID_PARAMETER_VALUE', 400],
    ['provide-evidence', evidence, 'INVALID_PARAMETER_VALUE', 422, [['a.exe', 'application/x-exe', 'x']]],
    ['provide-evidence', evidence, 'INVALID_STRING_LENGTH', 422, [['a.pdf', 'application/pdf', '']]],
    ['accept-claim', { accept_claim_type: 'PARTIAL_REFUND' }, 'INVALID_PARAMETER_VALUE', 400],
    ['adjudicate', {}, 'INVALID_PARAMETER_VALUE', 400],
    ['require-evidence', { action: 'BUYER_EVIDENCE' }, 'INVALID_PARAMETER_VALUE', 400],
    ['appeal', evidence, 'ACTION_NOT_ALLOWED_IN_CURRENT_DISPUTE_STATE', 422],
  ])('takes no %s with %j', async (action, input, name, status, files = []) => {
    const account = 'refuses';
    if ((await court.list(account)).length === 0) await court.pay(account, 'SIM-DISPUTE-CHARGEBACK');
    await court.pass(account);
    expect(await court.perform(account, action, input, ...files)).toMatchObject(issue(name, status));
    expect(standing(await court.show(account))).toBe(`CHARGEBACK ${waits}`);
  });

  test('under review is sent back or decided in the sandbox', async () => {
    await court.pay('decides', 'SIM-DISPUTE-CHARGEBACK');
    await court.pass('decides');
    await court.perform('decides', 'provide-evidence', evidence);
    await court.perform('decides', 'require-evidence', { action: 'SELLER_EVIDENCE' });
    expect(await court.pass('decides', 60_000)).toBe(`CHARGEBACK ${waits}`);
    await court.perform('decides', 'provide-evidence', evidence);
    const { dispute_id: id } = await court.show('decides');
    const outcome = { adjudication_outcome: 'BUYER_FAVOR' };
    expect(await client.post('decides', `${disputes}/${id}/adjudicate`, outcome)).toMatchObject({
      status: 200,
    });
    expect(await court.pass('decides', 60_000)).toBe(`CHARGEBACK ${lost}`);
    expect((await court.show('decides')).dispute_state).toBe('APPEALABLE');
    expect(await court.perform('decides', 'appeal', evidence)).toMatchObject({ status: 200 });
    expect(await court.pass('decides', 0)).toBe('CHARGEBACK UNDER_REVIEW');
    expect(await court.pass('decides')).toBe(`CHARGEBACK ${won}`);
    // The event of the step that the appeal replaced is never sent.
    expect(court.notified('decides').filter((event) => event.includes(won))).toHaveLength(1);
  });
});

describe('the list of disputes', () => {
  test('is filtered and comes in pages', async () => {
    const captures: string[] = [];
    for (const _ of [1, 2, 3]) {
      const { reference, capture } = await court.pay('pages');
      await openDisputeB(client.deps, {
        merchantAccount: 'pages',
        paymentReference: reference,
        state: 'chargeback',
      });
      captures.push(capture);
      client.clock.now = new Date(client.clock.now.getTime() + 1_000);
    }
    const list = async (query: string) => (await client.get('pages', `${disputes}?${query}`)).json;
    const first = await list('page_size=2');
    expect(first.items).toHaveLength(2);
    const next = first.links.find(({ rel }: { rel: string }) => rel === 'next').href.split('?')[1];
    const second = await list(next);
    expect(second.items).toHaveLength(1);
    expect(second.links).toHaveLength(1);
    expect((await list(`disputed_transaction_id=${captures[0]}`)).items).toHaveLength(1);
    expect((await list('dispute_state=REQUIRED_ACTION,RESOLVED')).items).toHaveLength(3);
    expect((await list('dispute_state=RESOLVED')).items).toBeUndefined();
    const [newest] = first.items;
    const since = encodeURIComponent(newest.create_time);
    expect((await list(`start_time=${since}`)).items).toHaveLength(1);
    expect((await list(`update_time_before=${since}`)).items).toHaveLength(3);
    expect((await list('update_time_after=2099-01-01T00:00:00Z')).items).toBeUndefined();
    for (const query of [
      'page_size=51',
      'next_page_token=x',
      'start_time=yesterday',
      `start_time=${since}&disputed_transaction_id=${captures[0]}`,
    ]) {
      expect((await client.get('pages', `${disputes}?${query}`)).status).toBe(400);
    }
  });
});
