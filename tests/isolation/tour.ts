import { createServer } from 'node:http';
import type { CleanUp } from '../support/clean-up.ts';
import { Browser } from '../support/dashboard.ts';
import { freshEmail, Merchant, type Reply, type Target } from '../support/merchant.ts';
import { commandJson } from '../support/server.ts';
import { until } from '../support/until.ts';

/** A shop with objects of every kind, and its owner, who reads all of them. */
export interface Shop {
  readonly merchant: Merchant;
  readonly owner: Browser;
  readonly ids: Readonly<Record<string, string>>;
}

const pdf = () => {
  const form = new FormData();
  form.set('file', new Blob(['%PDF-1.4 nothing']), 'proof.pdf');
  return form;
};

async function upload(merchant: Merchant, place: Target): Promise<string> {
  const response = await fetch(`${place.baseUrl}/api/v1/files`, {
    method: 'POST',
    headers: { authorization: `Bearer ${merchant.key}` },
    body: pdf(),
  });
  return ((await response.json()) as { id: string }).id;
}

function requireSuccess(reply: Reply): Reply {
  if (reply.status >= 300) throw new Error(`${reply.status}: ${reply.text}`);
  return reply;
}

/**
 * Starts a receiver of webhooks that accepts everything.
 * @returns its address
 */
export async function startReceiver(cleanUp: CleanUp): Promise<string> {
  const server = createServer((request, response) => {
    request.resume();
    request.on('end', () => response.end('ok'));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  cleanUp.add(() => new Promise((resolve) => server.close(resolve)));
  const address = server.address();
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}/hooks`;
}

/**
 * Creates a dispute with a draft of its response and an assignee.
 * @returns its id
 */
async function prepareAnswer(
  merchant: Merchant,
  owner: Browser,
  customer: string,
  file: string,
): Promise<string> {
  const paid = requireSuccess(await merchant.pay({ customer })).body.id;
  const dispute = requireSuccess(await merchant.post(`/api/v1/test_helpers/payments/${paid}/dispute`, {}))
    .body.id;
  const path = `/accounts/${merchant.id}/disputes/${dispute}`;
  const evidence = [{ type: 'receipt', text: '', files: [file] }];
  const body = { version: 0, statement: 'Delivered.', reason_code: '', evidence };
  requireSuccess(await owner.call('PATCH', `${path}/draft`, { body }));
  const [colleague] = (await owner.get(path)).body.colleagues;
  requireSuccess(await owner.call('PATCH', `${path}/assignee`, { body: { user: colleague.id } }));
  return dispute;
}

/**
 * Makes the simulator pay out what was charged.
 * @returns the payout's id
 */
async function payOut(merchant: Merchant, owner: Browser): Promise<string> {
  requireSuccess(await owner.post(`/accounts/${merchant.id}/sandbox/payouts`));
  return requireSuccess(await merchant.get('/api/v1/payouts')).body.data[0].id;
}

/**
 * Requests a refund with a restricted key whose requests all need an approval.
 * @returns the approval's id
 */
async function askFor(merchant: Merchant, place: Target, payment: string): Promise<string> {
  const options = ['--account', merchant.id, '--permissions', 'refunds:write', '--approval-above', '0'];
  const made = await commandJson<{ secret_key: string }>(place.environment, ['keys', 'create', ...options]);
  const request = { amount: 10, note: 'Never came' };
  return requireSuccess(
    await merchant.post(`/api/v1/payments/${payment}/refunds`, request, { key: made.secret_key }),
  ).body.id;
}

/** Opens a shop and creates its objects. */
export async function openShop(
  place: Target,
  processor: 'processor_a' | 'processor_b',
  hook: string,
): Promise<Shop> {
  const merchant = await Merchant.openAt(place, processor);
  const owner = await Browser.of(merchant, 'owner', place);
  const to = ['--account', merchant.id, '--url', hook, '--additional-events', 'on'];
  const endpoint = await commandJson<{ id: string }>(place.environment, ['webhooks', 'create', ...to]);
  const customer = requireSuccess(
    await merchant.post('/api/v1/customers', {
      email: freshEmail(),
      name: 'Jane Smith',
      external_id: `ext-${merchant.id}`,
      metadata: { order: 'one' },
    }),
  ).body.id;
  const saved = requireSuccess(
    await merchant.pay({ customer, reference: 'order-1', save_payment_method: true }),
  ).body;
  const declined = requireSuccess(await merchant.pay({ card: { holder_name: 'CCREJECT-REFUSED' } })).body;
  const refund = requireSuccess(
    await merchant.post(`/api/v1/payments/${saved.id}/refunds`, { amount: 10, metadata: { order: 'one' } }),
  ).body.id;
  const link = requireSuccess(
    await merchant.post('/api/v1/payment_links', { title: 'Course', currency: 'EUR', amount: 4990 }),
  ).body;
  const disputed = requireSuccess(await merchant.pay({ customer })).body.id;
  const dispute = requireSuccess(await merchant.post(`/api/v1/test_helpers/payments/${disputed}/dispute`, {}))
    .body.id;
  const file = await upload(merchant, place);
  requireSuccess(
    await merchant.post(`/api/v1/disputes/${dispute}/defend`, {
      statement: 'Delivered.',
      evidence: [{ type: 'receipt', file }],
    }),
  );
  const open = await prepareAnswer(merchant, owner, customer, await upload(merchant, place));
  requireSuccess(
    await merchant.post(`/api/v1/test_helpers/refunds/${refund}/settle`, { outcome: 'succeeded' }),
  );
  const delivery = await until('a delivery', async () => {
    const { body } = await owner.get(`/accounts/${merchant.id}/webhook_endpoints/${endpoint.id}/deliveries`);
    return (body.data as { id: string; state: string }[]).find(({ state }) => state === 'succeeded')?.id;
  });
  const { body: events } = await merchant.get('/api/v1/events');
  return {
    merchant,
    owner,
    ids: {
      account: merchant.id,
      endpoint: endpoint.id,
      customer,
      payment: saved.id,
      declined: declined.id,
      method: saved.payment_method_id,
      refund,
      link: link.id,
      page: new URL(link.url).pathname,
      approval: await askFor(merchant, place, saved.id),
      dispute,
      open,
      file,
      delivery,
      event: events.data[0].id,
      payout: await payOut(merchant, owner),
    },
  };
}

/** Everything that can be read through the merchant API. */
const readByKey = (ids: Shop['ids']): string[] => [
  `/api/v1/payments/${ids.payment}`,
  '/api/v1/payments',
  '/api/v1/payments?page=2&per_page=1',
  `/api/v1/payments?customer=${ids.customer}`,
  '/api/v1/payments?status=failed&payment_method_type=card',
  '/api/v1/payments?reference=order-1&created_gte=1&created_lt=99999999999',
  `/api/v1/payments/${ids.payment}/refunds`,
  `/api/v1/refunds/${ids.refund}`,
  `/api/v1/payment_links/${ids.link}`,
  '/api/v1/payment_links',
  '/api/v1/payment_links?status=active',
  '/api/v1/payment_links?status=completed&per_page=1',
  `/api/v1/payments?payment_link=${ids.link}`,
  `/api/v1/customers/${ids.customer}`,
  '/api/v1/customers',
  `/api/v1/customers?external_id=ext-${ids.account}`,
  `/api/v1/customers/${ids.customer}/payment_methods`,
  `/api/v1/payment_methods/${ids.method}`,
  '/api/v1/approvals',
  '/api/v1/approvals?status=pending',
  `/api/v1/approvals/${ids.approval}`,
  ids.page ?? '',
  '/api/v1/payouts',
  `/api/v1/payouts/${ids.payout}`,
  `/api/v1/payouts/${ids.payout}/lines`,
  '/api/v1/events',
  '/api/v1/events?type=payment.succeeded&created_gte=1',
  `/api/v1/events/${ids.event}`,
  '/api/v1/disputes',
  `/api/v1/disputes?payment=${ids.payment}`,
  `/api/v1/disputes/${ids.dispute}`,
  `/api/v1/files/${ids.file}`,
];

/** Everything that a dashboard page requests, relative to the account's path. */
const readByPerson = (ids: Shop['ids']): string[] => [
  '',
  '/home',
  '/figures?time_zone=Europe/Berlin',
  '/charts?range=30&currency=EUR&time_zone=Europe/Berlin',
  '/payments',
  '/payments?status=failed&sort=amount&currency=EUR',
  '/payments?q=order-1',
  '/payments?q=jane',
  '/payments?q=1111',
  `/payments?customer=${ids.customer}&amount_gte=1&currency=EUR`,
  '/payments/export',
  `/payments/${ids.payment}`,
  `/payments/${ids.declined}`,
  '/refunds',
  '/payment_links',
  '/payment_links?status=active,expired',
  '/payment_links/export',
  `/payment_links/${ids.link}`,
  `/payments?payment_link=${ids.link}`,
  '/refunds?q=one&status=succeeded',
  `/refunds/${ids.refund}`,
  '/customers',
  '/customers?q=jane',
  '/customers?q=one',
  `/customers/${ids.customer}`,
  '/disputes?tab=closed',
  '/disputes?tab=action_required',
  '/disputes?assignee=me',
  '/disputes?assignee=nobody',
  `/disputes/${ids.dispute}`,
  `/disputes/${ids.open}`,
  `/disputes/${ids.open}/proposed_evidence`,
  `/files/${ids.file}`,
  '/events',
  '/events?search=payment&type=payment.succeeded',
  `/events/${ids.event}`,
  '/request_logs',
  '/request_logs?status=2xx&method=POST',
  `/request_logs?payment=${ids.payment}`,
  '/developer_filters',
  '/webhook_endpoints',
  `/webhook_endpoints/${ids.endpoint}`,
  `/webhook_endpoints/${ids.endpoint}/deliveries?state=succeeded`,
  `/webhook_endpoints/${ids.endpoint}/deliveries/${ids.delivery}`,
  `/webhook_endpoints/${ids.endpoint}/recover?since=2020-01-01T00:00:00Z`,
  '/api_keys',
  '/team',
  '/audit_log',
  '/audit_log?action=payment.refunded',
  '/mails',
  '/saved_views?list=payments',
  '/settings',
  '/settings/branding',
  '/settings/refund_limits',
  '/settings/role_approvals',
  '/settings/card_testing',
  '/settings/book_accounts',
  '/approvals',
  '/approvals?status=pending',
  '/payouts',
  `/payouts/${ids.payout}`,
  `/payouts/${ids.payout}?lines=unmatched`,
  '/payouts/export?month=2026-11',
  '/environment',
  '/go_live',
  '/sandbox',
];

/**
 * Reads everything.
 * @returns the failed requests, of which there should be none
 */
export async function readEverything({ merchant, owner, ids }: Shop): Promise<string[]> {
  const refused: string[] = [];
  const note = (path: string, { status, text }: Reply) => {
    if (status !== 200) refused.push(`${path}: ${status} ${text.slice(0, 200)}`);
  };
  for (const path of readByKey(ids)) note(path, await merchant.get(path));
  for (const path of readByPerson(ids)) note(path, await owner.get(`/accounts/${ids.account}${path}`));
  return refused;
}
