import { parseUrl } from '../../lib/url.ts';

/**
 * Whether the certificate that a notification names may be fetched: the pinned address alone, or where none is pinned
 * one of the upstream's own hosts. Anybody can send a notification, so the address is the sender's word only (PayPal
 * docs, "Webhooks", verification).
 */
export function isCertificateAddress(address: string, pinned: string | undefined): boolean {
  if (pinned !== undefined) {
    return address === pinned;
  }
  const url = parseUrl(address);
  if (url === undefined) {
    return false;
  }
  // Nothing but host and path, written plainly: no port, credentials, query or tricks of spelling.
  const isOwnHost = /^(?:[a-z0-9-]+\.)+paypal\.com$/.test(url.hostname);
  return isOwnHost && address === `https://${url.hostname}${url.pathname}`;
}
