import ipaddr from 'ipaddr.js';

export type Address = ipaddr.IPv4 | ipaddr.IPv6;

/** A network: its address and the length of its prefix in bits. */
export type Network = readonly [Address, number];

/**
 * Parses an address, or a network in CIDR notation.
 * @throws Error for anything else
 */
export const network = (text: string): Network =>
  text.includes('/')
    ? ipaddr.parseCIDR(text)
    : [ipaddr.parse(text), ipaddr.parse(text).kind() === 'ipv4' ? 32 : 128];

/** Whether an address is in one of these networks. */
export const isIn = (address: Address, networks: readonly Network[]): boolean =>
  networks.some(([base, bits]) => base.kind() === address.kind() && address.match(base, bits));
