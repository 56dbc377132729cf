/** Why money went back, by the contract's words. */
export const refundReasons = [
  ['requested_by_customer', 'Requested by the customer'],
  ['duplicate', 'Duplicate payment'],
  ['fraudulent', 'Fraudulent payment'],
  ['other', 'Another reason'],
] as const;

/** A reason as people read it; '' where none was given. */
export const refundReason = (reason: string | null): string =>
  refundReasons.find(([value]) => value === reason)?.[1] ?? reason ?? '';
