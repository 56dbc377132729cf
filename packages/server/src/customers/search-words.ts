import { isTypedCardNumber } from '@till/contract/typed-card-number';
import { normaliseCardNumber } from '../lib/cards.ts';
import { foldEmail } from './rules.ts';

/** What the words of a search may mean. */
export type SearchWords =
  | {
      readonly kind: 'id';
      readonly of: 'payment' | 'refund' | 'customer' | 'dispute' | 'method';
      readonly id: string;
    }
  | { readonly kind: 'text'; readonly text: SearchText; readonly last4: string | null }
  /** The last four digits of a card. Of a card number typed in full no other digit is used. */
  | { readonly kind: 'last4'; readonly last4: string };

export interface SearchText {
  /** As typed, without spaces around it. */
  readonly exact: string;
  /** As typed, in capitals, in small letters and with one capital, since references and ids are compared case-sensitively. */
  readonly spellings: readonly string[];
  /** For e-mail addresses and names, which are compared in lower case. */
  readonly folded: string;
}

const ids = { pay: 'payment', re: 'refund', cus: 'customer', dsp: 'dispute', pm: 'method' } as const;

/** Interprets what somebody typed to find a payment. Null if it is blank. */
export function readSearch(typed: string): SearchWords | null {
  const exact = typed.trim();
  if (exact === '') return null;
  const id = /^(pay|re|cus|dsp|pm)_[a-z0-9]{24}$/.exec(exact);
  if (id !== null) return { kind: 'id', of: ids[id[1] as keyof typeof ids], id: exact };
  if (isTypedCardNumber(exact)) return { kind: 'last4', last4: normaliseCardNumber(exact).slice(-4) };
  // The last four digits as receipts print them: "•••• 4242", "**** 4242", "x4242".
  const masked = /^[•·*x.#\s]+(\d{4})$/i.exec(exact);
  if (masked?.[1] !== undefined) return { kind: 'last4', last4: masked[1] };
  return {
    kind: 'text',
    last4: /^\d{4}$/.test(exact) ? exact : null,
    text: {
      exact,
      spellings: spellingsOf(exact),
      folded: foldEmail(exact),
    },
  };
}

function spellingsOf(text: string): string[] {
  const small = text.toLowerCase();
  return [
    ...new Set([text, text.toUpperCase(), small, small.replace(/^\p{L}/u, (letter) => letter.toUpperCase())]),
  ];
}
