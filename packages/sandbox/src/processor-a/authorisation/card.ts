/** What may be kept of a card. */
export interface KeptCard {
  readonly bin: string;
  readonly last4: string;
  readonly expiryMonth: number;
  readonly expiryYear: number;
}

export interface Card extends KeptCard {
  readonly number: string;
}

/** A card as it may be kept, whatever else is known of it. */
export function keptCard({ bin, last4, expiryMonth, expiryYear }: KeptCard): KeptCard {
  return { bin, last4, expiryMonth, expiryYear };
}
