import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { Browser } from '../../support/dashboard.ts';
import { Merchant, type Reply, till } from '../../support/merchant.ts';
import { until } from '../../support/until.ts';

const day = 24 * 3600;
const pdf = '%PDF-1.7\nreceipt';

let shop: Merchant;
let owner: Browser;
let at: (path: string) => string;

beforeAll(async () => {
  shop = await Merchant.open();
  owner = await Browser.of(shop, 'owner');
  at = (path) => `/accounts/${shop.id}${path}`;
});

const codeOf = (reply: Reply) => [reply.status, reply.body?.error?.code];
const once = () => ({ idempotencyKey: randomUUID() });

/** Opens a dispute of a new payment, as its buyer would. */
async function dispute(options: object = {}, merchant = shop) {
  const { body: payment } = await merchant.pay();
  const { status, body } = await merchant.post(
    `/api/v1/test_helpers/payments/${payment.id}/dispute`,
    options,
  );
  expect(status).toBe(201);
  return body as { id: string; payment: string; amount: number; respond_by: string };
}

function upload(browser: Browser, content: string, name = 'receipt.pdf') {
  const boundary = 'till-acceptance-boundary';
  const head = `Content-Disposition: form-data; name="file"; filename="${name}"`;
  return browser.call('POST', at('/files'), {
    raw: [`--${boundary}`, head, '', content, `--${boundary}--`, ''].join('\r\n'),
    headers: { 'content-type': `multipart/form-data; boundary=${boundary}` },
  });
}

const auditOf = async (object: string) =>
  (await owner.get(at(`/audit_log?object=${object}`))).body.data as {
    action: string;
    after: object;
    actor: { email: string };
  }[];

describe('the inbox of disputes', () => {
  it('lists by deadline, also with the disputes API off', async () => {
    const own = await Merchant.open();
    const browser = await Browser.of(own, 'viewer');
    const [first, second] = [await dispute({}, own), await dispute({}, own)];
    expect((await own.get('/api/v1/disputes')).status).toBe(404);
    const list = (query = '') => browser.get(`/accounts/${own.id}/disputes${query}`);
    const inbox = (await list()).body;
    expect(inbox).toMatchObject({
      total_count: 2,
      capped: false,
      tabs: { action_required: 2, challenged: 0, closed: 0 },
    });
    expect(inbox.data.map(({ id }: { id: string }) => id)).toEqual([first.id, second.id]);
    const idsOf = async (query: string) => (await list(query)).body.data.map(({ id }: { id: string }) => id);
    expect(await idsOf(`?payment=${second.payment}`)).toEqual([second.id]);
    expect(await idsOf('?reason=duplicate')).toEqual([]);
    expect(await idsOf('?state=chargeback&per_page=1&page=2')).toEqual([second.id]);
    expect(codeOf(await list('?tab=open'))).toEqual([422, 'invalid_params']);
    // Nobody responds before the deadline.
    await own.post('/api/v1/test_helpers/clock/advance', { seconds: 60 * day });
    expect(await idsOf('?tab=closed')).toEqual([second.id, first.id]);
    expect((await list()).body.tabs).toEqual({ action_required: 0, challenged: 0, closed: 2 });
  });

  it('shows a dispute with its payment and history', async () => {
    const opened = await dispute({ reason: 'product_not_received', amount: 1200 });
    const { body } = await owner.get(at(`/disputes/${opened.id}`));
    expect(body).toMatchObject({
      dispute: { id: opened.id, status: 'action_required', amount: 1200, reason: 'product_not_received' },
      in_doubt: null,
      refusal: null,
      payment: { id: opened.payment, status: 'succeeded', amount: 4990 },
      refunded_amount: 0,
      customer: null,
      timeline: [{ type: 'dispute.created', status: 'action_required', by: null }],
      submissions: [],
    });
    const stranger = await Browser.of(await Merchant.open(), 'owner');
    expect(codeOf(await stranger.get(at(`/disputes/${opened.id}`)))).toEqual([404, 'not_found']);
    expect(codeOf(await owner.get(at('/disputes/dsp_000000000000000000000000')))).toEqual([404, 'not_found']);
  });
});

describe('answering a dispute', () => {
  it('by accepting needs the amount, and happens once per key', async () => {
    const opened = await dispute();
    const accept = (amount: number, options = once()) =>
      owner.post(at(`/disputes/${opened.id}/accept`), { amount }, options);
    expect(codeOf(await owner.post(at(`/disputes/${opened.id}/accept`), { amount: 4990 }))).toEqual([
      400,
      'missing_idempotency_key',
    ]);
    expect(codeOf(await accept(4989))).toEqual([409, 'conflict']);
    expect(codeOf(await accept(0))).toEqual([422, 'invalid_params']);
    const key = once();
    const [first, second] = [await accept(4990, key), await accept(4990, key)];
    expect([first.status, first.body.status, second.text]).toEqual([200, 'accepted', first.text]);
    expect(codeOf(await accept(4990))).toEqual([422, 'invalid_params']);
    expect(await auditOf(opened.id)).toMatchObject([
      { action: 'dispute.accepted', after: { status: 'accepted', amount: 4990 } },
    ]);
    const { timeline, refusal } = (await owner.get(at(`/disputes/${opened.id}`))).body;
    expect(timeline).toMatchObject([
      { by: null },
      { type: 'dispute.closed', status: 'accepted', by: expect.stringContaining('@') },
    ]);
    expect(refusal).toBe('This dispute is closed.');
  });

  it('by defending takes files and a statement', async () => {
    const opened = await dispute();
    const uploaded = await upload(owner, pdf, '../<img src=x>.pdf');
    expect(uploaded.body).toMatchObject({ name: '<img src=x>.pdf', content_type: 'application/pdf' });
    const { id: file } = uploaded.body;
    const content = await owner.get(at(`/files/${file}`));
    expect([content.text, content.headers.get('content-type')]).toEqual([pdf, 'application/pdf']);
    expect(content.headers.get('content-disposition')).toContain('attachment');
    const defend = (body: object) => owner.post(at(`/disputes/${opened.id}/defend`), body, once());
    expect(codeOf(await defend({ evidence: [] }))).toEqual([422, 'invalid_params']);
    expect(codeOf(await defend({ evidence: [{ type: 'receipt', file: 'file_x' }] }))).toEqual([
      422,
      'invalid_params',
    ]);
    const evidence = [{ type: 'receipt', file }];
    const done = await defend({ statement: 'It was delivered.', evidence });
    expect(done.body.status).toBe('challenged');
    const { submissions, refusal } = (await owner.get(at(`/disputes/${opened.id}`))).body;
    expect(submissions).toMatchObject([
      {
        statement: 'It was delivered.',
        evidence: [{ type: 'receipt', text: null, file: { id: file, name: '<img src=x>.pdf' } }],
        submitted_at: expect.any(String),
      },
    ]);
    expect(refusal).toContain('submitted');
    expect(codeOf(await defend({ evidence }))).toEqual([422, 'invalid_params']);
    expect(await auditOf(opened.id)).toMatchObject([
      { action: 'dispute.defended', after: { status: 'challenged', evidence, statement: true } },
    ]);
    expect(await auditOf(file)).toMatchObject([{ action: 'file.uploaded' }]);
  });

  it('is prepared as a draft on the server, with a document of what is on record', async () => {
    const opened = await dispute();
    const on = (path: string) => at(`/disputes/${opened.id}${path}`);
    const { sections } = (await owner.get(on('/proposed_evidence'))).body;
    expect(sections).toMatchObject([{ title: 'Receipt' }, {}, { title: 'History' }]);
    const { body: document } = await owner.post(on('/proposed_evidence'), {});
    expect(document).toMatchObject({
      content_type: 'application/pdf',
      name: `records-of-${opened.payment}.pdf`,
    });
    expect((await owner.get(at(`/files/${document.id}`))).text).toContain(`(Payment ${opened.payment}) '`);
    const save = (version: number, statement: string) =>
      owner.call('PATCH', on('/draft'), {
        body: {
          version,
          statement,
          reason_code: '',
          evidence: [{ type: 'receipt', text: '', files: [document.id] }],
        },
      });
    expect((await save(0, 'It was')).body).toMatchObject({ version: 1, evidence: [{ files: [document] }] });
    expect((await save(1, 'It was delivered.')).body.version).toBe(2);
    expect(codeOf(await save(1, 'Something else.'))).toEqual([409, 'conflict']);
    const { draft, colleagues } = (await owner.get(on(''))).body;
    expect(draft).toMatchObject({ version: 2, statement: 'It was delivered.' });
    const hand = (user: string | null) => owner.call('PATCH', on('/assignee'), { body: { user } });
    expect((await hand(colleagues[0].id)).body).toEqual({ assignee: colleagues[0] });
    expect(codeOf(await hand('usr_000000000000000000000000'))).toEqual([422, 'invalid_params']);
    const { data } = (await owner.get(at('/disputes?tab=action_required'))).body;
    expect(data.find(({ id }: { id: string }) => id === opened.id)).toMatchObject({
      draft: { files: 1, edited_by: draft.edited_by },
      assignee: colleagues[0].email,
    });
    await owner.post(on('/accept'), { amount: opened.amount }, once());
    expect((await owner.get(on(''))).body).toMatchObject({ draft: null, assignee: null });
    const log: { action: string }[] = await auditOf(opened.id);
    expect(log.map(({ action }) => action).sort()).toEqual([
      'dispute.accepted',
      'dispute.assigned',
      'dispute.draft_edited',
      'dispute.evidence_proposed',
    ]);
  });

  it('refuses files of another type, above 5 MB, or of another account', async () => {
    expect(codeOf(await upload(owner, 'GIF89a'))).toEqual([422, 'invalid_params']);
    expect(codeOf(await upload(owner, '%PDF-'.padEnd(5 * 1024 * 1024 + 1)))).toEqual([413, 'body_too_large']);
    const stranger = await Browser.of(await Merchant.open(), 'owner');
    const { id } = (await upload(owner, pdf)).body;
    expect(codeOf(await stranger.get(at(`/files/${id}`)))).toEqual([404, 'not_found']);
  });
});

describe('a role', () => {
  it.each([
    ['viewer', [403, 403, 403], 403],
    ['developer', [200, 200, 201], 200],
    ['support', [200, 200, 201], 403],
    ['admin', [200, 200, 201], 200],
  ])('%s may do in the sandbox what the table says', async (role, [accepts, defends, uploads], mails) => {
    const browser = await Browser.of(shop, role);
    for (const path of ['/home', '/figures', '/charts', '/disputes']) {
      expect((await browser.get(at(path))).status).toBe(200);
    }
    const [one, other] = [await dispute(), await dispute()];
    const accepted = await browser.post(at(`/disputes/${one.id}/accept`), { amount: one.amount }, once());
    const defence = { statement: 'Delivered.', evidence: [] };
    const defended = await browser.post(at(`/disputes/${other.id}/defend`), defence, once());
    const uploaded = await upload(browser, pdf);
    expect([accepted.status, defended.status, uploaded.status]).toEqual([accepts, defends, uploads]);
    expect((await browser.get(at('/mails'))).status).toBe(mails);
    expect((await browser.post(at('/home/checklist'), { hidden: true })).status).toBe(200);
  });

  it('developer answers no dispute in live mode', async () => {
    const live = await Merchant.open('processor_a', '--environment', 'live');
    await till('accounts', 'update', live.id, '--activation', 'active');
    const browser = await Browser.of(live, 'developer');
    const path = `/accounts/${live.id}/disputes/dsp_000000000000000000000000/accept`;
    expect(codeOf(await browser.post(path, { amount: 1 }, once()))).toEqual([403, 'forbidden']);
    const support = await Browser.of(live, 'support');
    expect(codeOf(await support.post(path, { amount: 1 }, once()))).toEqual([404, 'not_found']);
  });
});

describe('the outbox of mail', () => {
  it('shows mails without their sign-in links', async () => {
    const own = await Merchant.open();
    const browser = await Browser.of(own, 'owner');
    const path = (rest: string) => `/accounts/${own.id}${rest}`;
    const invited = await browser.post(path('/team/invitations'), {
      email: 'new@shop.example',
      role: 'admin',
    });
    const token = invited.body.url.split('/').at(-1);
    await dispute({}, own);
    const list = (await browser.get(path('/mails'))).body;
    expect(list).toMatchObject({
      total_count: 2,
      sends: false,
      data: [{ state: 'kept' }, { state: 'kept' }],
    });
    const invitation = list.data.find(({ to }: { to: string }) => to === 'new@shop.example');
    const mail = await browser.get(path(`/mails/${invitation.id}`));
    expect(mail.body.text).toContain('/dashboard/invite/…');
    expect(mail.text).not.toContain(token);
    expect((await browser.get(path('/mails?state=sent'))).body.data).toEqual([]);
    expect(codeOf(await owner.get(at(`/mails/${invitation.id}`)))).toEqual([404, 'not_found']);
  });
});

describe('the home page', () => {
  it('sums up payments as `till figures rebuild` does', async () => {
    const own = await Merchant.open();
    const browser = await Browser.of(own, 'owner');
    const figures = async () => (await browser.get(`/accounts/${own.id}/figures`)).body;
    const home = async () => (await browser.get(`/accounts/${own.id}/home`)).body;
    expect(await figures()).toEqual({ complete: true, data: [] });
    const paid = (await own.pay({ amount: 1000 })).body;
    await own.pay({ amount: 500, card: { holder_name: 'CCREJECT-REFUSED' } });
    const { id: refund } = (await own.post(`/api/v1/payments/${paid.id}/refunds`, { amount: 400 })).body;
    await until('the refund is settled', async () => {
      const { body } = await own.get(`/api/v1/refunds/${refund}`);
      return body.status === 'succeeded';
    });
    const sums = { payments: 1, volume: 1000, approved: 1, declined: 1, refunds: 1, refunded: 400 };
    await until('the refund is counted', async () => (await figures()).data[0]?.today.now.refunds === 1);
    expect((await figures()).data).toMatchObject([{ currency: 'EUR', today: { now: sums } }]);
    const steps = (await home()).checklist.steps as { id: string; done: boolean }[];
    expect(steps.filter(({ done }) => done).map(({ id }) => id)).toEqual([
      'test_payment',
      'test_decline',
      'test_refund',
    ]);
    expect(await till('figures', 'rebuild', '--account', own.id)).toEqual({
      data: [{ account: own.id, livemode: false }],
    });
    expect((await figures()).data).toMatchObject([{ today: { now: sums } }]);
    const charts = (await browser.get(`/accounts/${own.id}/charts?range=7`)).body;
    expect([charts.volume.amount.at(-1), charts.success.declined.at(-1)]).toEqual([1000, 1]);
    expect(charts.declines).toMatchObject([{ code: expect.any(String), payments: [0, 0, 0, 0, 0, 0, 1] }]);
    await until('the requests are logged and counted', async () => {
      const { latency } = (await browser.get(`/accounts/${own.id}/charts?range=7`)).body;
      return latency.requests.at(-1) > 3 && latency.p50.at(-1) > 0;
    });
  });
});
