import { parseUrl } from '../../../lib/web/url.ts';

/** Where the upstream publishes its certificates (PayPal docs, "Webhooks", verification). */
const hosts: ReadonlySet<string> = new Set([
  'api.paypal.com',
  'api-m.paypal.com',
  'api.sandbox.paypal.com',
  'api-m.sandbox.paypal.com',
]);
const path = /^\/v1\/notifications\/certs\/[0-9A-Za-z_-]{1,100}$/;

/**
 * Whether the certificate that a notification names may be fetched: the pinned address alone, or where none is pinned
 * a certificate at one of the upstream's own hosts. Anybody can send a notification, so the address is the sender's word only (PayPal
 * docs, "Webhooks", verification).
 */
export function isCertificateAddress(address: string, pinned: string | undefined): boolean {
  if (pinned !== undefined) return address === pinned;
  const url = parseUrl(address);
  if (url === undefined) return false;
  // Nothing but host and path, written plainly: no port, credentials, query or tricks of spelling.
  const isOwn = hosts.has(url.hostname) && path.test(url.pathname);
  return isOwn && address === `https://${url.hostname}${url.pathname}`;
}
