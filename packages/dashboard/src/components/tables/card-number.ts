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

/**
 * The search text without a card number: a whole one is cut to its last four digits, since it must not reach the page's
 * address, the server or its logs.
 */
export function withoutCardNumber(text: string): { readonly text: string; readonly cut: boolean } {
  const digits = text.replaceAll(/[ -]/g, '');
  const cut = /^\d{12,19}$/.test(digits) && passesLuhn(digits);
  return { text: cut ? digits.slice(-4) : text, cut };
}
