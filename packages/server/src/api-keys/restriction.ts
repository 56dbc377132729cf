import { isIP } from 'node:net';
import type { KeyRestriction } from '@till/contract/dashboard';
import ipaddr from 'ipaddr.js';
import { OperatorError } from '../accounts/accounts.ts';
import { isoSeconds } from '../lib/clock.ts';
import { isIn, type Network, network } from '../lib/web/cidr.ts';

/** Whether text is an address or a network in CIDR notation. Refuses shortened IPv4 addresses, which the parser would accept. */
function isNetwork(text: string): boolean {
  const [address = '', bits, ...more] = text.split('/');
  const family = isIP(address);
  if (family === 0 || address.includes('%') || more.length > 0) return false;
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128));
}

/** Whether text is a real time after `now`. JavaScript reads `2027-02-30` as a day in March; PostgreSQL refuses such a text. */
function isFutureTime(text: string, now: Date): boolean {
  const time = new Date(text);
  return time.getTime() > now.getTime() && isoSeconds(time) === text;
}

/** A requested restriction. An absent member restricts nothing. */
export type RequestedRestriction = Pick<KeyRestriction, 'permissions'> & {
  readonly [Name in keyof KeyRestriction]?: KeyRestriction[Name] | undefined;
};

/**
 * Validates a requested restriction and converts it to the stored form.
 * @param now account time
 * @throws OperatorError `invalid_end`, `invalid_address`
 */
export function readRestriction(
  {
    permissions,
    ends_at: end = null,
    addresses = [],
    max_amount: amount,
    max_daily: daily,
    approval_above: approvalAbove,
  }: RequestedRestriction,
  now: Date,
): KeyRestriction {
  if (end !== null && !isFutureTime(end, now)) {
    throw new OperatorError(
      'invalid_end',
      'The end of a key must be a time that exists and is still to come, such as 2027-01-31T12:00:00Z.',
    );
  }
  const odd = addresses.find((address) => !isNetwork(address));
  if (odd !== undefined) {
    throw new OperatorError(
      'invalid_address',
      `${JSON.stringify(odd)} is no IPv4 or IPv6 address and no network in CIDR notation, such as 203.0.113.0/24.`,
    );
  }
  return {
    permissions: [...new Set(permissions)],
    ends_at: end,
    addresses: [...new Set(addresses)],
    max_amount: amount ?? null,
    max_daily: daily ?? null,
    approval_above: approvalAbove ?? null,
  };
}

/** Whether the end time of a key has passed. @param now account time */
export const isOver = ({ ends_at: end }: Pick<KeyRestriction, 'ends_at'>, now: Date): boolean =>
  end !== null && Date.parse(end) <= now.getTime();

/** Parses a network for comparison. An IPv4 network written as IPv6, the form in which refusals name addresses, becomes IPv4. */
function comparableNetwork(text: string): Network {
  const [address, bits] = network(text);
  const isIPv4 = address instanceof ipaddr.IPv6 && address.isIPv4MappedAddress() && bits >= 96;
  return isIPv4 ? [address.toIPv4Address(), bits - 96] : [address, bits];
}

/**
 * Whether a key may be used from an address.
 * @param ip the client's address; undefined if unknown
 */
export function mayComeFrom(
  { addresses }: Pick<KeyRestriction, 'addresses'>,
  ip: string | undefined,
): boolean {
  if (addresses.length === 0) return true;
  // `process` converts an IPv4-mapped IPv6 address, as dual-stack sockets report, to an IPv4 address.
  return ip !== undefined && isIP(ip) !== 0 && isIn(ipaddr.process(ip), addresses.map(comparableNetwork));
}
