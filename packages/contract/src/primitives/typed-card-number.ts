/** Whether a string of digits ends in its own check digit (ISO/IEC 7812-1). */
function passesLuhn(digits: string): boolean {
  const sum = Array.from(digits)
    .toReversed()
    .reduce((total, digit, index) => {
      const value = Number(digit) * (index % 2 === 0 ? 1 : 2);
      return total + (value > 9 ? value - 9 : value);
    }, 0);
  return sum % 10 === 0;
}

// One in ten network references, which have 15 digits, passes the check: of cards, only these have as many.
const ofFifteen = /^(?:1|2131|3[47]|5[0678]|6)/;

/**
 * Whether what somebody typed to find something is a whole card number: 12 to 19 digits with a check digit, and of 15
 * only what American Express, UATP, JCB and Maestro issue.
 */
export function isTypedCardNumber(text: string): boolean {
  const digits = text.replaceAll(/[ -]/g, '');
  if (!/^\d{12,19}$/.test(digits) || !passesLuhn(digits)) return false;
  return digits.length !== 15 || ofFifteen.test(digits);
}

/**
 * The search text without a card number: a whole one is cut to its last four digits, since it must not reach the page's
 * address, the server, its tables or its logs.
 */
export function withoutCardNumber(text: string): { readonly text: string; readonly cut: boolean } {
  const cut = isTypedCardNumber(text.trim());
  return { text: cut ? text.replaceAll(/[\s-]/g, '').slice(-4) : text, cut };
}
