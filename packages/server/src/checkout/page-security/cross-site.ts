import type { FastifyRequest } from 'fastify';
import { parseUrl } from '../../lib/web/url.ts';

type Headers = FastifyRequest['headers'];

/**
 * Whether another site's page sent a form to a page of ours (Fetch Metadata; `Origin` of RFC 6454 for browsers without it). It
 * could try stolen cards from the buyer's address, and its answer would replace the cookie that keeps a buyer from paying
 * twice. Who says nothing is served: our pages have no referrer, so browsers may send `Origin: null` with our own forms.
 * @param address any of ours, as buyers reach it: a proxy may have named another host to us
 */
export function isFromOtherSite({ origin, host, 'sec-fetch-site': site }: Headers, address: string): boolean {
  if (typeof site === 'string') return site === 'cross-site';
  if (origin === undefined || origin === 'null') return false;
  const from = parseUrl(origin)?.host;
  return from === undefined || (from !== host && from !== parseUrl(address)?.host);
}
