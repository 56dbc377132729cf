/** The reasons of refunds, by the contract's values. */
export const refundReasons = [
  ['requested_by_customer', 'Requested by the customer'],
  ['duplicate', 'Duplicate payment'],
  ['fraudulent', 'Fraudulent payment'],
  ['other', 'Another reason'],
] as const;

/** The label of a reason; '' where none was given. */
export const refundReason = (reason: string | null): string =>
  refundReasons.find(([value]) => value === reason)?.[1] ?? reason ?? '';
