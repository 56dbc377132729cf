/** The kind of object that an id belongs to: account, API key, user, customer, payment, operation, event, refund, ... */
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

/** Returns `count` bytes or more from a cryptographically secure source. */
export type RandomBytes = (count: number) => Uint8Array;

const base36 = '0123456789abcdefghijklmnopqrstuvwxyz';
const base62 = `${base36}ABCDEFGHIJKLMNOPQRSTUVWXYZ`;
const timeLength = 8;
const randomLength = 16;
/** Eight base36 digits can represent milliseconds until the year 2059. */
const timeEnd = 36 ** timeLength;
/** How many additional bytes to draw, so that one draw is nearly always enough although some bytes are rejected. */
const spareBytes = 4;

/**
 * A new id: prefix, underscore, 24 lowercase alphanumerics. The first eight encode `now` in milliseconds, so ids sort by
 * time (to the millisecond); the other sixteen contain 82 random bits (decisions, "Tenancy, keys, environments").
 * @throws RangeError for a time that does not fit into eight digits
 */
export function newId(prefix: IdPrefix, now: Date, randomBytes: RandomBytes): string {
  const milliseconds = now.getTime();
  if (!(milliseconds >= 0 && milliseconds < timeEnd)) {
    throw new RangeError(`no id can carry the time ${milliseconds}`);
  }
  const time = milliseconds.toString(36).padStart(timeLength, '0');
  return `${prefix}_${time}${randomText(base36, randomLength, randomBytes)}`;
}

/** The lower bound of all ids that were created at `time` or later, to select ids by time. */
export function idsFrom(prefix: IdPrefix, time: Date): string {
  const milliseconds = Math.min(Math.max(0, time.getTime()), timeEnd - 1);
  return `${prefix}_${milliseconds.toString(36).padStart(timeLength, '0')}`;
}

/** Random letters and digits, each equally likely, with 5.95 bits per character. Used for API keys and tokens. */
export function randomBase62(length: number, randomBytes: RandomBytes): string {
  return randomText(base62, length, randomBytes);
}

/**
 * Draws from `source` in blocks and hands them out piece by piece, because one call to the operating system costs more than a
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

/** Rejects bytes beyond the greatest multiple of the alphabet's size, because the remainder would favour its first characters. */
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
