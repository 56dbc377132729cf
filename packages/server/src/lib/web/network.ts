import ipaddr from 'ipaddr.js';

/**
 * The network that counts as one client when attempts are counted by address: an IPv4 address, or a /64 of IPv6, since a
 * subscriber with one of its addresses has them all. Text that is no address is returned unchanged.
 */
export const networkOf = (ip: string): string => blockOf(ip, 64);

/** The largest block that one subscriber may have: an IPv4 address, or a /48 of IPv6, with 65,536 networks. */
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
