/** What an id belongs to: account, API key, user, customer, payment, operation, event, refund, ... */
export type IdPrefix =
  | 'acct'
  | 'key'
  | 'usr'
  | 'ses'
  | 'cus'
  | 'pay'
  | 'op'
  | 'evt'
  | 're'
  | 'apr'
  | 'pm'
  | 'pl'
  | 'dsp'
  | 'file'
  | 'we'
  | 'dlv'
  | 'mail'
  | 'inv'
  | 'aud'
  | 'req'
  | 'po'
  | 'pol';

/** Gives `count` bytes from a cryptographically secure source; may give more. */
export type RandomBytes = (count: number) => Uint8Array;

const base36 = '0123456789abcdefghijklmnopqrstuvwxyz';
const base62 = `${base36}ABCDEFGHIJKLMNOPQRSTUVWXYZ`;
const timeLength = 8;
const randomLength = 16;
/** Eight base36 digits of milliseconds reach until the year 2059. */
const timeEnd = 36 ** timeLength;
/** Bytes asked for beyond the needed ones, so that one draw is nearly always enough despite rejected bytes. */
const spareBytes = 4;

/**
 * A new id: prefix, underscore, 24 lowercase alphanumerics. The first eight are `now` in milliseconds, so ids sort by
 * time (to the millisecond); the other sixteen carry 82 random bits (decisions, "Tenancy, keys, environments").
 * Throws a RangeError for a time that eight digits cannot hold.
 */
export function newId(prefix: IdPrefix, now: Date, randomBytes: RandomBytes): string {
  const milliseconds = now.getTime();
  if (!(milliseconds >= 0 && milliseconds < timeEnd)) {
    throw new RangeError(`no id can carry the time ${milliseconds}`);
  }
  const time = milliseconds.toString(36).padStart(timeLength, '0');
  return `${prefix}_${time}${randomText(base36, randomLength, randomBytes)}`;
}

/** Ids of this time and later come from here on: the bound of a range of time among ids. */
export function idsFrom(prefix: IdPrefix, time: Date): string {
  const milliseconds = Math.min(Math.max(0, time.getTime()), timeEnd - 1);
  return `${prefix}_${milliseconds.toString(36).padStart(timeLength, '0')}`;
}

/** Random letters and digits, each equally likely; 5.95 bits a character. For API keys and tokens. */
export function randomBase62(length: number, randomBytes: RandomBytes): string {
  return randomText(base62, length, randomBytes);
}

/**
 * Draws from `source` in blocks and returns them piece by piece: one call to the operating system costs more than a
 * whole id. No byte is used twice. `blockSize` is in bytes.
 */
export function pooled(source: RandomBytes, blockSize = 4096): RandomBytes {
  let block: Uint8Array = new Uint8Array(0);
  let used = 0;
  return (count) => {
    if (used + count > block.length) {
      block = source(Math.max(count, blockSize));
      used = 0;
    }
    used += count;
    return block.subarray(used - count, used);
  };
}

/** Drops bytes beyond the greatest multiple of the alphabet's size: the remainder would favour its first letters. */
function randomText(alphabet: string, length: number, randomBytes: RandomBytes): string {
  const limit = 256 - (256 % alphabet.length);
  let text = '';
  while (text.length < length) {
    for (const byte of randomBytes(length - text.length + spareBytes)) {
      if (byte < limit && text.length < length) text += alphabet.charAt(byte % alphabet.length);
    }
  }
  return text;
}
