import { type ErrorCode, errorCatalogue } from '@till/contract';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { errorMeanings } from './errors.ts';

/** One row of the sandbox's trigger table. */
export interface TestTrigger {
  readonly trigger: { readonly field: string; readonly value: string };
  readonly processor: string;
  readonly outcome: string;
  readonly failure_code?: string;
}

const style = `
:root { color-scheme: light dark; }
body { font: 16px/1.5 system-ui, sans-serif; margin: 0 auto; padding: 2rem 1rem; max-width: 72rem; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; padding: 0.4rem 0.8rem; border-bottom: 1px solid color-mix(in srgb, currentcolor 20%, transparent); vertical-align: top; }
code { font-family: ui-monospace, monospace; white-space: nowrap; }
.scroll { overflow-x: auto; }
`;

const escapes: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
const escapeHtml = (text: string) => text.replaceAll(/[&<>"']/g, (character) => escapes[character] ?? '');

function page(title: string, lead: string, columns: readonly string[], rows: readonly string[]): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)} · Till</title>
<link rel="stylesheet" href="/docs/style.css">
</head>
<body>
<main>
<h1>${escapeHtml(title)}</h1>
<p>${lead}</p>
<div class="scroll" tabindex="0" role="region" aria-label="${escapeHtml(title)}">
<table>
<thead><tr>${columns.map((column) => `<th scope="col">${escapeHtml(column)}</th>`).join('')}</tr></thead>
<tbody>
${rows.join('\n')}
</tbody>
</table>
</div>
</main>
</body>
</html>
`;
}

const cell = (text: string) => `<td>${escapeHtml(text)}</td>`;
const code = (text: string) => `<td><code>${escapeHtml(text)}</code></td>`;

function testingPage(triggers: readonly TestTrigger[]): string {
  return page(
    'Testing',
    'What to send in the sandbox and what then happens. Directives are exact and case-sensitive. Any future expiry date works. A directive in <code>description</code> works where no <code>line_items</code> are sent. The same table as data: <a href="/docs/testing.json">testing.json</a>.',
    ['Field', 'Value', 'Processor', 'Outcome', 'Failure code'],
    triggers.map(
      ({ trigger, processor, outcome, failure_code: failure = '' }) =>
        `<tr>${code(trigger.field)}${code(trigger.value)}${cell(processor)}${cell(outcome)}${code(failure)}</tr>`,
    ),
  );
}

function errorsPage(): string {
  return page(
    'Errors',
    'Every error answer carries <code>type</code>, <code>code</code>, <code>message</code> and <code>request_id</code>. Match on <code>code</code>.',
    ['Code', 'HTTP', 'Type', 'What to do'],
    Object.entries(errorCatalogue).map(
      ([name, [status, type]]) =>
        `<tr id="${name}">${code(name)}${cell(String(status))}${code(type)}${cell(errorMeanings[name as ErrorCode])}</tr>`,
    ),
  );
}

function asPage(reply: FastifyReply, contentType: string, text: string) {
  return reply
    .headers({
      'content-type': contentType,
      'content-security-policy':
        "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
      'cache-control': 'no-cache',
    })
    .send(text);
}

/** The public pages under `/docs`: what the sandbox answers to, and what each error means. */
export function docsRoutes(app: FastifyInstance, triggers: readonly TestTrigger[]): void {
  const html = 'text/html; charset=utf-8';
  const testing = testingPage(triggers);
  const errors = errorsPage();
  const list = JSON.stringify(
    triggers.map(({ trigger, processor, outcome, failure_code }) => ({
      trigger,
      processor,
      outcome,
      failure_code,
    })),
  );
  app.get('/docs/testing', async (_request, reply) => asPage(reply, html, testing));
  app.get('/docs/errors', async (_request, reply) => asPage(reply, html, errors));
  app.get('/docs/style.css', async (_request, reply) => asPage(reply, 'text/css; charset=utf-8', style));
  app.get('/docs/testing.json', async (_request, reply) => reply.send(list));
}
