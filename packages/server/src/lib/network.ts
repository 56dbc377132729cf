import ipaddr from 'ipaddr.js';

/**
 * What counts as one client where attempts are counted by address: an IPv4 address, or a /64 of IPv6, since whoever has
 * one address of it has them all. Text that is no address stays as it is.
 */
export function networkOf(ip: string): string {
  if (!ipaddr.isValid(ip)) return ip;
  const address = ipaddr.process(ip);
  if (address.kind() === 'ipv4') return address.toString();
  const [network] = address.toNormalizedString().split('%', 1);
  return `${network?.split(':').slice(0, 4).join(':')}::/64`;
}
