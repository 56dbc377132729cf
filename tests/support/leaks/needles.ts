import { margin, type Needle } from './search.ts';

const hex = (text: string) => Buffer.from(text).toString('hex');

/**
 * Returns the part of a text's base64 form that does not depend on neighbouring bytes, for each of the three
 * alignments.
 */
function base64Forms(text: string): string[] {
  return [0, 1, 2].map((lead) => {
    const encoded = Buffer.from(`${'\0'.repeat(lead)}${text}`).toString('base64');
    return encoded.slice(Math.ceil((lead * 8) / 6), Math.floor(((lead + text.length) * 8) / 6));
  });
}

const isDigit = (byte: number | undefined) => byte !== undefined && byte >= 0x30 && byte <= 0x39;

/**
 * Whether the digits from `at` on are the fraction of a decimal number, such as a ratio or a random number.
 */
const isFraction = (within: Buffer, at: number) => within[at - 1] === 0x2e && isDigit(within[at - 2]);

/** A card number in every form: plain, grouped, in hexadecimal and in base64. */
export function cardNumber(number: string): Needle[] {
  const grouped = (between: string) => number.replaceAll(/(\d{4})(?=\d)/g, `$1${between}`);
  const plain = [number, grouped(' '), grouped('-')].map((text) => ({
    what: `card number ${number}`,
    bytes: Buffer.from(text),
    // Part of a longer run of digits is not a card number.
    counts: (within: Buffer, at: number) =>
      !isDigit(within[at - 1]) && !isDigit(within[at + text.length]) && !isFraction(within, at),
  }));
  const encoded = [hex(number), ...base64Forms(number)].map((text) => ({
    what: `card number ${number}, encoded`,
    bytes: Buffer.from(text),
  }));
  return [...plain, ...encoded];
}

/** Returns what follows a prefix in plain text, hexadecimal or base64: at most `length` bytes. */
function following(text: Buffer, at: number, form: Form, prefix: string, length: number): string {
  const end = at + margin;
  switch (form.kind) {
    case 'plain':
      return text.toString('latin1', at + prefix.length, Math.min(end, at + prefix.length + length));
    case 'hex': {
      const digits = /^[0-9a-f]*/i.exec(text.toString('latin1', at, end))?.[0] ?? '';
      return Buffer.from(digits, 'hex').toString('latin1', prefix.length, prefix.length + length);
    }
    case 'base64': {
      // Starts at the group of four characters in which the prefix begins.
      const from = at - Math.ceil((form.lead * 8) / 6);
      const run = /^[A-Za-z0-9+/]*/.exec(text.toString('latin1', Math.max(0, from), end))?.[0] ?? '';
      const decoded = Buffer.from(run, 'base64').toString('latin1');
      const place = decoded.indexOf(prefix);
      return place === -1 ? '' : decoded.slice(place + prefix.length, place + prefix.length + length);
    }
  }
}

type Form = { readonly kind: 'plain' | 'hex' } | { readonly kind: 'base64'; readonly lead: number };

/** A secret that begins with `prefix` and continues as the pattern says, in every form. */
function withPrefix(what: string, prefix: string, rest: RegExp, length: number): Needle[] {
  const forms: { form: Form; text: string }[] = [
    { form: { kind: 'plain' }, text: prefix },
    { form: { kind: 'hex' }, text: hex(prefix) },
    ...base64Forms(prefix).map((text, lead) => ({ form: { kind: 'base64', lead } as const, text })),
  ];
  return forms.map(({ form, text }) => ({
    what: form.kind === 'plain' ? what : `${what}, in ${form.kind}`,
    bytes: Buffer.from(text),
    counts: (within, at) => rest.test(following(within, at, form, prefix, length)),
  }));
}

/** Complete API keys. The hint of a key is not a secret. */
export const apiKeys = (): Needle[] =>
  ['sk_test_', 'sk_live_', 'rk_test_', 'rk_live_'].flatMap((prefix) =>
    withPrefix('API key', prefix, /^(?!(.)\1{20})[0-9A-Za-z]{32}(?![0-9A-Za-z])/, 40),
  );

/** Complete signing secrets of webhook endpoints. */
export const signingSecrets = (): Needle[] =>
  withPrefix('signing secret', 'whsec_', /^[0-9A-Za-z+/]{43}=/, 50);

/**
 * Security codes, after the field names that requests of merchants and of both processors use.
 * @param except codes that do not count
 */
export const securityCodes = (except: readonly string[] = []): Needle[] =>
  ['"cvc":"', '"cvc": "', '"security_code":"', '"securityCode":"'].flatMap((prefix) =>
    withPrefix('security code', prefix, new RegExp(`^(?!${['-', ...except].join('|')})\\d{3,4}"`), 8),
  );
