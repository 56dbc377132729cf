import { codeHtml } from './code-blocks.ts';
import { escapeHtml } from './html.ts';

export interface OverviewPage {
  readonly address: string;
  readonly title: string;
  readonly summary: string;
}

export interface OverviewSection {
  readonly title: string;
  readonly pages: readonly OverviewPage[];
}

const charge = `curl -s http://127.0.0.1:8080/api/v1/payments \\
  -H "Authorization: Bearer $KEY" -H "Idempotency-Key: order-1" \\
  -H "Content-Type: application/json" -d '{
  "amount": 4990, "currency": "EUR",
  "payment_method": {
    "type": "card", "number": "4111111111111111",
    "exp_month": 3, "exp_year": 2032, "cvc": "737",
    "holder_name": "Jane Smith"},
  "success_url": "https://shop.example/ok",
  "failure_url": "https://shop.example/failed"}'`;

const chargeByNode = `import { Till } from '@till/node';

const till = new Till({
  apiKey: 'sk_test_…',
  baseUrl: 'http://127.0.0.1:8080',
});
const payment = await till.payments.create({
  amount: 4990,
  currency: 'EUR',
  payment_method: {
    type: 'card', number: '4111111111111111', exp_month: 3, exp_year: 2032,
    cvc: '737', holder_name: 'Jane Smith',
  },
  success_url: 'https://shop.example/ok',
  failure_url: 'https://shop.example/failed',
});`;

const block = (lang: string, text: string) => ({ type: 'code' as const, raw: '', lang, text });

const cards = ({ title, pages }: OverviewSection) => `<h2>${escapeHtml(title)}</h2>
<ul class="cards">
${pages
  .map(
    (page) =>
      `<li><a href="${page.address}"><span class="card-title">${escapeHtml(page.title)}</span>${page.summary === '' ? '' : ` <span class="card-text">${escapeHtml(page.summary)}</span>`}</a></li>`,
  )
  .join('\n')}
</ul>`;

/** The overview page below its title. A section with a single page is a button and not a group of cards. */
export function homeHtml(sections: readonly OverviewSection[]): string {
  return `<p class="lead">One HTTP API for cards, wallets, holds, saved methods, refunds and disputes, on a server of your own. Everything can be tried offline, in a sandbox where even time is yours.</p>
<p class="actions"><a class="primary" href="/docs/quickstart">Quickstart</a> <a href="/docs/reference">API reference</a> <a href="/docs/testing">Test cards</a></p>
${codeHtml([block('sh', charge), block('ts', chargeByNode)])}
${sections
  .filter(({ pages }) => pages.length > 1)
  .map(cards)
  .join('\n')}`;
}
