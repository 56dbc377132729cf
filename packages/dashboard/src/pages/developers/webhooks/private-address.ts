/** Addresses of private and shared networks and link-local addresses (RFC 1918, 6598, 3927, 4193, 4291). */
const privateHost =
  /^(10\.|192\.168\.|172\.(1[6-9]|2\d|3[01])\.|169\.254\.|100\.(6[4-9]|[7-9]\d|1[01]\d|12[0-7])\.|\[f[cd]|\[fe[89ab])/;
const ownMachine = /^(127\.|0\.0\.0\.0$|localhost$|\[::1?\]$)|\.localhost$/;

/**
 * Whether a URL contains the IP address of a private network, or names its own machine. The server checks what host
 * names resolve to when it sends.
 * @param shownAt host of this page: a server that is tried out on this machine delivers to the same machine
 */
export function isPrivateAddress(text: string, shownAt: string): boolean {
  if (!URL.canParse(text.trim())) return false;
  const { hostname } = new URL(text.trim());
  const isNumber = hostname.startsWith('[') || /^\d+(\.\d+){3}$/.test(hostname);
  return (isNumber && privateHost.test(hostname)) || (ownMachine.test(hostname) && !ownMachine.test(shownAt));
}
