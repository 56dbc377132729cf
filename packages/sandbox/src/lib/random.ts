const symbols = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789';
const digits = '0123456789';

function spell(bytes: Uint8Array, alphabet: string): string {
  let text = '';
  for (const byte of bytes) text += alphabet.charAt(byte % alphabet.length);
  return text;
}

/** Returns one capital letter or digit per byte. */
export function randomReference(bytes: Uint8Array): string {
  return spell(bytes, symbols);
}

/** Returns one decimal digit per byte. */
export function randomDigits(bytes: Uint8Array): string {
  return spell(bytes, digits);
}
