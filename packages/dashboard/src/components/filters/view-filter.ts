import type { Choice } from '../forms/inputs.tsx';

/** A filter of a list. Its values live in the URL parameters that `keysOf` returns. */
export type ViewFilter =
  /** Any number of choices, kept as a comma-separated value. */
  | {
      readonly kind: 'choices';
      readonly key: string;
      readonly label: string;
      readonly choices: readonly Choice[];
    }
  | { readonly kind: 'word'; readonly key: string; readonly label: string; readonly hint: string }
  | { readonly kind: 'currency'; readonly label: string }
  /** A range of amounts in one currency; it sets the currency parameter as well. */
  | { readonly kind: 'amount'; readonly label: string }
  | { readonly kind: 'period'; readonly label: string };
