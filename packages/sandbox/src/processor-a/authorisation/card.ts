/** The card data that may be stored. */
export interface KeptCard {
  readonly bin: string;
  readonly last4: string;
  readonly expiryMonth: number;
  readonly expiryYear: number;
}

export interface Card extends KeptCard {
  readonly number: string;
}

/** Copies only the card data that may be stored. */
export function keptCard({ bin, last4, expiryMonth, expiryYear }: KeptCard): KeptCard {
  return { bin, last4, expiryMonth, expiryYear };
}
