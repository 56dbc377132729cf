/** Characters of an unquoted local part (RFC 5322, `atext`), and of host names in ASCII (RFC 1123). */
const localPart = /^[A-Za-z0-9!#$%&'*+/=?^_\x60{|}~-]+(?:\.[A-Za-z0-9!#$%&'*+/=?^_\x60{|}~-]+)*$/;
const hostName =
  /^(?=.{1,253}$)[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?(?:\.[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?)*$/;

/** Longest text that goes into a header: within the line length that every server takes. */
const maxHeaderLength = 254;

/**
 * Whether mail may be sent to this address: exactly one plain mailbox. Quoted local parts, comments, lists and everything
 * else that an address parser could read as more than one recipient are refused, and so are letters outside ASCII.
 */
export function isMailbox(address: string): boolean {
  if (address.length > 254) return false;
  const at = address.lastIndexOf('@');
  const local = address.slice(0, Math.max(at, 0));
  return local.length <= 64 && localPart.test(local) && hostName.test(address.slice(at + 1));
}

/** Text for a header: on one line, without control characters, not too long. */
export function headerText(text: string): string {
  const line = text
    .toWellFormed()
    .replaceAll(/[\s\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ')
    .trim();
  return Array.from(line).slice(0, maxHeaderLength).join('');
}

/** Whom mail comes from. */
export interface Sender {
  readonly name: string;
  readonly address: string;
}
