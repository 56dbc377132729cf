import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../test-database.ts';
import { upstreamIdOf } from '../../test-opened.ts';
import { createTestClient, payment, type TestClient } from '../test-client.ts';
import { publishedDocument } from '../test-document.ts';
import { openDisputeA } from './disputes.ts';
import { ask, askService, defenceMaterial } from './test-disputes.ts';

let db: TestDatabase;
let client: TestClient;

beforeAll(async () => {
  db = await createTestDatabase();
  client = createTestClient(db.pool);
});
afterAll(() => db.drop());

const account = 'service';

async function open(): Promise<string> {
  const body = payment(account);
  await client.pay(body);
  const asked = { merchantAccount: account, paymentReference: body.reference, state: 'chargeback' } as const;
  return upstreamIdOf(await openDisputeA(client.deps, asked));
}

const named = (upstreamId: string) => ({
  merchantAccountCode: account,
  disputePspReference: upstreamId,
});

const supply = (upstreamId: string, ...defenseDocuments: unknown[]) =>
  ask(client, 'supplyDefenseDocument', account, upstreamId, { defenseDocuments });

async function reasons(upstreamId: string) {
  const answer = await askService(client, 'retrieveApplicableDefenseReasons', named(upstreamId));
  return JSON.parse(answer.text).defenseReasons;
}

const satisfied = async (upstreamId: string) =>
  (await reasons(upstreamId))
    .filter((reason: { satisfied: boolean }) => reason.satisfied)
    .map((reason: { defenseReasonCode: string }) => reason.defenseReasonCode);

describe('defence', () => {
  test('names its reasons and what each of them requires', async () => {
    const upstreamId = await open();
    expect((await reasons(upstreamId))[0]).toEqual({
      defenseReasonCode: 'SupplyDefenseMaterial',
      satisfied: false,
      defenseDocumentTypes: [
        { defenseDocumentTypeCode: 'DefenseMaterial', requirementLevel: 'Required', available: false },
        { defenseDocumentTypeCode: 'TIDorInvoice', requirementLevel: 'Optional', available: false },
      ],
    });
  });

  test('is possible once the required documents are there, and while they are', async () => {
    const upstreamId = await open();
    const defence = { defenseReasonCode: 'GoodsWereAsDescribed' };
    const defend = () => ask(client, 'defendDispute', account, upstreamId, defence);
    expect(await defend()).toMatch(/missing/);
    const invoice = { ...defenceMaterial, defenseDocumentTypeCode: 'TIDorInvoice' };
    const goods = { ...defenceMaterial, defenseDocumentTypeCode: 'GoodsWereAsDescribed' };
    expect(await supply(upstreamId, goods)).toBe('ok');
    expect(await satisfied(upstreamId)).toEqual([]);
    expect(await supply(upstreamId, invoice, goods)).toBe('ok');
    expect(await satisfied(upstreamId)).toEqual(['GoodsWereAsDescribed']);
    const remove = () =>
      ask(client, 'deleteDisputeDefenseDocument', account, upstreamId, {
        defenseDocumentType: 'TIDorInvoice',
      });
    expect(await remove()).toBe('ok');
    expect(await remove()).toMatch(/not found/);
    expect(await defend()).toMatch(/missing/);
    expect(await supply(upstreamId, invoice)).toBe('ok');
    expect(await defend()).toBe('ok');
    expect(await reasons(upstreamId)).toEqual([]);
    expect(await supply(upstreamId, invoice)).toMatch(/does not wait/);
    expect(await remove()).toMatch(/does not wait/);
  });

  test('needs a reason of the list', async () => {
    const upstreamId = await open();
    await supply(upstreamId, defenceMaterial);
    for (const rest of [{}, { defenseReasonCode: 'Because' }]) {
      expect(await ask(client, 'defendDispute', account, upstreamId, rest)).toMatch(/not applicable/);
    }
  });

  test.each([
    ['no document', [], /No defense documents/],
    ['no object', ['text'], /not valid/],
    ['an unknown type', [{ ...defenceMaterial, defenseDocumentTypeCode: 'Selfie' }], /not applicable/],
    ['another content type', [{ ...defenceMaterial, contentType: 'image/png' }], /not supported/],
    ['no base64', [{ ...defenceMaterial, content: 'no base64!' }], /not valid/],
    ['no content', [{ ...defenceMaterial, content: '' }], /not valid/],
    [
      'more than 2 MiB of PDF',
      [{ ...defenceMaterial, content: Buffer.alloc(2 * 1024 * 1024 + 1).toString('base64') }],
      /too large/,
    ],
  ])('takes %s not', async (_what, documents, words) => {
    const upstreamId = await open();
    expect(await supply(upstreamId, ...documents)).toMatch(words);
    expect(await satisfied(upstreamId)).toEqual([]);
  });

  test('keeps no content', async () => {
    const content = Buffer.from('what the customer wrote').toString('base64');
    expect(await supply(await open(), { ...defenceMaterial, content })).toBe('ok');
    const { rows } = await db.pool.query('select state::text as state from sandbox.disputes');
    expect(rows.map((row) => row.state).join()).not.toContain(content);
  });
});

describe('at the door', () => {
  test.each([
    'retrieveApplicableDefenseReasons',
    'supplyDefenseDocument',
    'deleteDisputeDefenseDocument',
    'defendDispute',
    'acceptDispute',
  ])('%s refuses what names no dispute of the account', async (operation) => {
    const upstreamId = await open();
    expect(await ask(client, operation, account, 'AAAABBBBCCCCDDDD')).toMatch(/not found/);
    expect(await ask(client, operation, 'another', upstreamId)).toMatch(/not found/);
    const { merchantAccountCode: _account, ...unnamed } = named(upstreamId);
    expect(await askService(client, operation, unnamed)).toMatchObject({ status: 403 });
    expect(await askService(client, operation, { merchantAccountCode: account })).toMatchObject({
      status: 422,
    });
  });

  test('a dispute that is not opened yet is not found', async () => {
    const body = payment('unopened', { holderName: 'SIM-DISPUTE-CHARGEBACK' });
    await client.pay(body);
    const { rows } = await db.pool.query(
      "select upstream_id from sandbox.disputes where merchant_account = 'unopened'",
    );
    expect(rows).toHaveLength(1);
    expect(await ask(client, 'acceptDispute', 'unopened', rows[0].upstream_id)).toMatch(/not found/);
  });
});

const { missing, note, problems } = publishedDocument('adyen-disputes-v30.openapi.json');

describe.skipIf(missing)(`the dispute service keeps to the published document${note}`, () => {
  test('in what it answers', async () => {
    const upstreamId = await open();
    const answers = async (operation: string, schema: string, rest: object = {}) => {
      const answer = await askService(client, operation, { ...named(upstreamId), ...rest });
      expect(answer.status).toBe(200);
      expect(problems(schema, answer.json), answer.text).toEqual([]);
    };
    expect(problems('AcceptDisputeResponse', {})).not.toEqual([]);
    const defence = { defenseReasonCode: 'SupplyDefenseMaterial' };
    const documents = { defenseDocuments: [defenceMaterial] };
    expect(problems('SupplyDefenseDocumentRequest', { ...named(upstreamId), ...documents })).toEqual([]);
    await answers('retrieveApplicableDefenseReasons', 'DefenseReasonsResponse');
    await answers('defendDispute', 'DefendDisputeResponse', defence);
    await answers('supplyDefenseDocument', 'SupplyDefenseDocumentResponse', documents);
    const type = { defenseDocumentType: 'DefenseMaterial' };
    await answers('deleteDisputeDefenseDocument', 'DeleteDefenseDocumentResponse', type);
    await answers('supplyDefenseDocument', 'SupplyDefenseDocumentResponse', documents);
    await answers('defendDispute', 'DefendDisputeResponse', defence);
    await answers('acceptDispute', 'AcceptDisputeResponse');
    const refused = await askService(client, 'acceptDispute', {});
    expect(problems('ServiceError', refused.json), refused.text).toEqual([]);
  });
});
