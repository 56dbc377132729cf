import { isTypedCardNumber } from '@till/contract/typed-card-number';

/**
 * The search text without a card number: a whole one is cut to its last four digits, since it must not reach the page's
 * address, the server or its logs.
 */
export function withoutCardNumber(text: string): { readonly text: string; readonly cut: boolean } {
  const cut = isTypedCardNumber(text);
  return { text: cut ? text.replaceAll(/[ -]/g, '').slice(-4) : text, cut };
}
