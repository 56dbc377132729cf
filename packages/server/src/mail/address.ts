/** An unquoted local part (RFC 5322, `atext`), and an ASCII host name (RFC 1123). */
const localPart = /^[A-Za-z0-9!#$%&'*+/=?^_\x60{|}~-]+(?:\.[A-Za-z0-9!#$%&'*+/=?^_\x60{|}~-]+)*$/;
const hostName =
  /^(?=.{1,253}$)[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?(?:\.[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?)*$/;

/** The maximum length of text in a header, which stays within the line length that every mail server accepts. */
const maxHeaderLength = 254;

/**
 * Whether mail may be sent to an address, which has to be exactly one plain mailbox. Refuses quoted local parts, comments, lists
 * and everything else that an address parser could read as more than one recipient, and characters outside ASCII.
 */
export function isMailbox(address: string): boolean {
  if (address.length > 254) return false;
  const at = address.lastIndexOf('@');
  const local = address.slice(0, Math.max(at, 0));
  return local.length <= 64 && localPart.test(local) && hostName.test(address.slice(at + 1));
}

/** Makes text safe for a header: one line, without control characters, and of limited length. */
export function headerText(text: string): string {
  const line = text
    .toWellFormed()
    .replaceAll(/[\s\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ')
    .trim();
  return Array.from(line).slice(0, maxHeaderLength).join('');
}

/** The sender of mail. */
export interface Sender {
  readonly name: string;
  readonly address: string;
}
