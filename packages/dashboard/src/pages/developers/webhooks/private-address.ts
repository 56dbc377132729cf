/** Private and shared networks, link-local addresses (RFC 1918, 6598, 3927, 4193, 4291). */
const privateHost =
  /^(10\.|192\.168\.|172\.(1[6-9]|2\d|3[01])\.|169\.254\.|100\.(6[4-9]|[7-9]\d|1[01]\d|12[0-7])\.|\[f[cd]|\[fe[89ab])/;
const ownMachine = /^(127\.|0\.0\.0\.0$|localhost$|\[::1?\]$)|\.localhost$/;

/**
 * Whether an address names a private network by number, or its own machine. Where names lead, the server sees when it sends.
 * @param shownAt host of this page: a server that is tried out on this machine sends to itself
 */
export function isPrivateAddress(text: string, shownAt: string): boolean {
  if (!URL.canParse(text.trim())) return false;
  const { hostname } = new URL(text.trim());
  const isNumber = hostname.startsWith('[') || /^\d+(\.\d+){3}$/.test(hostname);
  return (isNumber && privateHost.test(hostname)) || (ownMachine.test(hostname) && !ownMachine.test(shownAt));
}
