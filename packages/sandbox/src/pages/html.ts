import type { WireResponse } from '../lib/wire.ts';

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Escapes text for use in HTML, including quoted attributes. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? character);
}

/** HTML that needs no escaping. A plain string does not have this type. */
export interface Html {
  readonly html: string;
}

/** Builds HTML from a template. Escapes every value that is not `Html`. */
export function html(parts: TemplateStringsArray, ...values: readonly (Html | string)[]): Html {
  const text = parts.map((part, index) => {
    const value = values[index];
    if (value === undefined) return part;
    return part + (typeof value === 'string' ? escapeHtml(value) : value.html);
  });
  return { html: text.join('') };
}

export const nothing: Html = { html: '' };

export const stylePath = '/sandbox/style.css';

const headers: Readonly<Record<string, string>> = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy':
    "default-src 'none'; style-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'self'",
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-store',
};

/** Builds a whole page. Every page shows the banner, so that nobody takes it for a real one. */
export function page(
  status: number,
  title: string,
  content: Html,
  more: Readonly<Record<string, string>> = {},
): WireResponse {
  const document = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title} · Sandbox</title>
<link rel="stylesheet" href="${stylePath}">
</head>
<body>
<header><p class="banner" role="note">Sandbox: no real money moves</p></header>
<main>
<div class="sheet">
${content}
</div>
</main>
</body>
</html>
`;
  return { status, headers: { ...headers, ...more }, body: Buffer.from(document.html) };
}

/** Redirects the browser to another page of this server. */
export function seeOther(location: string): WireResponse {
  const { 'content-security-policy': policy = '' } = headers;
  return {
    status: 303,
    headers: { location, 'cache-control': 'no-store', 'content-security-policy': policy },
    body: Buffer.alloc(0),
  };
}
