import type { Choice } from '../forms/inputs.tsx';

/** One thing to filter a list by; its values live in the URL under `keysOf`. */
export type ViewFilter =
  /** Any number of choices, separated by commas. */
  | {
      readonly kind: 'choices';
      readonly key: string;
      readonly label: string;
      readonly choices: readonly Choice[];
    }
  | { readonly kind: 'word'; readonly key: string; readonly label: string; readonly hint: string }
  | { readonly kind: 'currency'; readonly label: string }
  /** A range in one currency; sets the currency too. */
  | { readonly kind: 'amount'; readonly label: string }
  | { readonly kind: 'period'; readonly label: string };
