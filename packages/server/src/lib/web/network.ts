import ipaddr from 'ipaddr.js';

/**
 * What counts as one client where attempts are counted by address: an IPv4 address, or a /64 of IPv6, since a subscriber with
 * one address of it has them all. Text that is no address stays as it is.
 */
export const networkOf = (ip: string): string => blockOf(ip, 64);

/** What one subscriber may hold at most: an IPv4 address, or a /48 of IPv6, with 65,536 networks. */
export const siteOf = (ip: string): string => blockOf(ip, 48);

function blockOf(ip: string, bits: 48 | 64): string {
  if (!ipaddr.isValid(ip)) return ip;
  const address = ipaddr.process(ip);
  if (address.kind() === 'ipv4') return address.toString();
  const [network] = address.toNormalizedString().split('%', 1);
  return `${network
    ?.split(':')
    .slice(0, bits / 16)
    .join(':')}::/${bits}`;
}
