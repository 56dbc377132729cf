import { createHash } from 'node:crypto';
import type { FastifyReply } from 'fastify';

/**
 * The weight that an `Accept` header gives to a media type, from 0 to 1. The most specific matching range decides; a range that
 * names the type itself counts slightly more.
 */
function preferenceOf(accept: string, type: string): number {
  const ranges = accept.split(',').map((part) => {
    const [range = '', ...parameters] = part.split(';').map((text) => text.trim().toLowerCase());
    const quality = parameters.map((text) => /^q=([\d.]+)$/.exec(text)?.[1]).find(Boolean);
    return { range, quality: quality === undefined ? 1 : Number(quality) };
  });
  const names = [type, `${type.split('/', 1)[0]}/*`, '*/*'];
  const best = names.map((name) => ranges.find(({ range }) => range === name)).find(Boolean);
  return best === undefined ? 0 : best.quality + (best.range === type ? 1e-6 : 0);
}

/** Whether a client prefers a page to JSON, as browsers do. A client without a preference gets JSON. */
export const prefersHtml = (accept = ''): boolean =>
  preferenceOf(accept, 'text/html') > preferenceOf(accept, 'application/json');

const style = `
:root { color-scheme: light dark }
body { font: 1rem/1.5 system-ui, sans-serif; max-width: 34rem; margin: 20vh auto 0; padding: 0 1.25rem }
h1 { font-size: 1.5rem; margin: 0 0 .5rem }
a { color: LinkText }
`;

const page = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>Page not found</title>
<style>${style}</style>
</head>
<body>
<main>
<h1>Page not found</h1>
<p>There is nothing at this address.</p>
<p>The <a href="/docs">documentation</a> explains the API; the <a href="/dashboard">dashboard</a> shows your payments.</p>
</main>
</body>
</html>
`;

const policy = `default-src 'none'; style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;

/** Sends a 404 page to a person who opens an unknown path in a browser. */
export function sendNotFoundPage(reply: FastifyReply): FastifyReply {
  return reply
    .code(404)
    .headers({
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': policy,
      vary: 'accept',
    })
    .send(page);
}

/** The message for a method that a path does not accept. */
export function otherMethods(method: string, allowed: readonly string[]): string {
  const text = `This address takes ${allowed.join(', ')}, not ${method}.`;
  // OPTIONS is a browser's CORS preflight. The API takes secret keys and allows no other origin.
  const advice = 'Call the API from your server: a secret key does not belong into a page.';
  return method === 'OPTIONS' ? `${text} ${advice}` : text;
}
