/** The reasons of refunds, by their values in the contract. */
export const refundReasons = [
  ['requested_by_customer', 'Requested by the customer'],
  ['duplicate', 'Duplicate payment'],
  ['fraudulent', 'Fraudulent payment'],
  ['other', 'Another reason'],
] as const;

/** The label of a reason; '' if none was given. */
export const refundReason = (reason: string | null): string =>
  refundReasons.find(([value]) => value === reason)?.[1] ?? reason ?? '';
