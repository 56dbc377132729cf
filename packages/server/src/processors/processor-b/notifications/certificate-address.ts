import { parseUrl } from '../../../lib/web/url.ts';

/** Hosts on which the upstream publishes its certificates (PayPal docs, "Webhooks", verification). */
const hosts: ReadonlySet<string> = new Set([
  'api.paypal.com',
  'api-m.paypal.com',
  'api.sandbox.paypal.com',
  'api-m.sandbox.paypal.com',
]);
const path = /^\/v1\/notifications\/certs\/[0-9A-Za-z_-]{1,100}$/;

/**
 * Whether the certificate URL in a notification may be fetched: only the pinned URL or, if none is pinned, a certificate on
 * one of the upstream's own hosts. Anybody can send a notification, so the URL is not to be trusted (PayPal docs, "Webhooks",
 * verification).
 */
export function isCertificateAddress(address: string, pinned: string | undefined): boolean {
  if (pinned !== undefined) return address === pinned;
  const url = parseUrl(address);
  if (url === undefined) return false;
  // Only host and path in plain spelling: no port, credentials, query or unusual encoding.
  const isOwn = hosts.has(url.hostname) && path.test(url.pathname);
  return isOwn && address === `https://${url.hostname}${url.pathname}`;
}
