import type { FastifyRequest } from 'fastify';
import { parseUrl } from '../../lib/web/url.ts';

type Headers = FastifyRequest['headers'];

/**
 * Whether a page of another site sent a form to one of our pages (Fetch Metadata; for browsers without it, `Origin` of RFC
 * 6454). Such a site could try stolen cards from the buyer's address, and our response would replace the cookie that keeps
 * a buyer from paying twice. A request without these headers is served: our pages send no referrer, so browsers may send
 * `Origin: null` with our own forms.
 * @param address any of our URLs as buyers see them: a proxy may have passed another host to us
 */
export function isFromOtherSite({ origin, host, 'sec-fetch-site': site }: Headers, address: string): boolean {
  if (typeof site === 'string') return site === 'cross-site';
  if (origin === undefined || origin === 'null') return false;
  const from = parseUrl(origin)?.host;
  return from === undefined || (from !== host && from !== parseUrl(address)?.host);
}
