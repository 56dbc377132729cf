/** Whether the last digit is the check digit of the others (ISO/IEC 7812-1). */
function passesLuhn(digits: string): boolean {
  const sum = Array.from(digits)
    .toReversed()
    .reduce((total, digit, index) => {
      const value = Number(digit) * (index % 2 === 0 ? 1 : 2);
      return total + (value > 9 ? value - 9 : value);
    }, 0);
  return sum % 10 === 0;
}

// Network references have 15 digits, and one in ten passes the check. Only cards with these prefixes have 15
// digits.
const ofFifteen = /^(?:1|2131|3[47]|5[0678]|6)/;

/**
 * Whether a search text is a complete card number: 12 to 19 digits with a valid check digit. Numbers of 15
 * digits count only if American Express, UATP, JCB or Maestro issue such numbers.
 */
export function isTypedCardNumber(text: string): boolean {
  const digits = text.replaceAll(/[ -]/g, '');
  if (!/^\d{12,19}$/.test(digits) || !passesLuhn(digits)) return false;
  return digits.length !== 15 || ofFifteen.test(digits);
}

/**
 * Truncates a search text that is a complete card number to its last four digits, since the number must not
 * get into the page's address, the server, its tables or its logs.
 */
export function withoutCardNumber(text: string): { readonly text: string; readonly cut: boolean } {
  const cut = isTypedCardNumber(text.trim());
  return { text: cut ? text.replaceAll(/[\s-]/g, '').slice(-4) : text, cut };
}
