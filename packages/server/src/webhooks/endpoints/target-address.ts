import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { type Address, isIn, network } from '../../lib/web/cidr.ts';
import { parseUrl } from '../../lib/web/url.ts';
import { WebhookError } from '../errors.ts';

const maxUrlLength = 2048;

/**
 * Checks the URL of an endpoint: `http` or `https`, a host, no credentials (decisions, "Webhooks"). The network address
 * that it resolves to may change, and is therefore checked at each sending.
 * @returns the URL as it was given
 * @throws WebhookError `invalid_url`
 */
export function requireTargetUrl(text: string): string {
  const url = parseUrl(text);
  // The URL parser is lenient: it adds missing slashes and drops line breaks.
  if (url === undefined || !/^https?:\/\/[^/\\?#\s]+\S*$/i.test(text)) {
    throw new WebhookError('invalid_url', 'The address must be an http:// or https:// URL.');
  }
  if (url.username !== '' || url.password !== '') {
    throw new WebhookError('invalid_url', 'The address must not carry a user name or password.');
  }
  if (text.length > maxUrlLength) {
    throw new WebhookError('invalid_url', `The address must be of at most ${maxUrlLength} characters.`);
  }
  return text;
}

/** Decides which network addresses a webhook may be sent to. */
export interface AddressPolicy {
  /** @param address an IPv4 or IPv6 address as text; anything else is refused */
  allows(address: string): boolean;
}

/** Link-local addresses, and those at which clouds serve a machine its secrets. No setting allows them. */
const never = [
  '169.254.0.0/16',
  'fe80::/10',
  'fd00:ec2::254',
  'fd20:ce::254',
  '100.100.100.200',
  '192.0.0.192',
  '168.63.129.16',
].map(network);

const globalUnicast = network('2000::/3');

/** The IPv4 addresses that an IPv6 address may lead to: by translation, by a tunnel, or because it merely contains them. */
function embeddedIpv4(address: Address): Address[] {
  if (address.kind() === 'ipv4') return [];
  const bytes = address.toByteArray();
  return [bytes.slice(2, 6), bytes.slice(12)].map((part) => ipaddr.fromByteArray(part));
}

function isPublic(address: Address): boolean {
  if (address.range() !== 'unicast') return false;
  // Deprecated and unassigned ranges of IPv6 count as unicast too.
  return address.kind() === 'ipv4' || isIn(address, [globalUnicast]);
}

/**
 * Allows public unicast addresses and those that the operator names.
 * @param allowed addresses and networks in CIDR notation (`TILL_WEBHOOK_ALLOW_CIDRS`)
 * @param loopback whether this machine itself may be sent to, as in the fresh-machine profile
 */
export function addressPolicy(options: { allowed: readonly string[]; loopback: boolean }): AddressPolicy {
  const allowed = options.allowed.map(network);
  return {
    allows(text) {
      if (isIP(text) === 0) return false;
      const address = ipaddr.process(text);
      if (isIn(address, never)) return false;
      if (isIn(address, allowed)) return embeddedIpv4(address).every((inner) => !isIn(inner, never));
      if (address.range() === 'loopback') return options.loopback;
      return isPublic(address);
    },
  };
}
