/** A host name with an optional port, alone or as an https origin, without path or wildcard. */
const site =
  '^(?:https://)?(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?\\.)*[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?(?::[0-9]{1,5})?$';

/** Patterns of string fields in requests. */
export const patterns = {
  currency: '^[A-Z]{3}$',
  country: '^[A-Z]{2}$',
  /** 12 to 19 digits, with spaces and hyphens anywhere. */
  cardNumber: '^[ -]*[0-9](?:[ -]*[0-9]){11,18}[ -]*$',
  cvc: '^[0-9]{3,4}$',
  upc: '^[0-9]{6,17}$',
  site,
  utcTime: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}Z$',
  notBlank: '\\S',
  /** Not blank and without line breaks, for headings, labels and subjects of emails. */
  oneLine: '^(?!\\s*$)[^\\u0000-\\u001f\\u007f]+$',
} as const;

/**
 * What each pattern requires, as it follows "must be" in error messages. For other patterns the field's
 * description says it.
 */
export const patternDescriptions: Readonly<Record<string, string>> = {
  [patterns.currency]: 'an active ISO 4217 code of three uppercase letters, such as EUR',
  [patterns.country]: 'an ISO 3166-1 alpha-2 code of two uppercase letters, such as DE',
  [patterns.cardNumber]: 'a string of 12 to 19 digits, with or without spaces and hyphens',
  [patterns.cvc]: 'a string of 3 or 4 digits',
  [patterns.upc]: 'a string of 6 to 17 digits',
  [patterns.site]: 'a host name or an https origin, such as shop.example or https://shop.example',
  [patterns.notBlank]: 'a string that is not blank',
  [patterns.oneLine]: 'one line of text that is not blank',
  [patterns.utcTime]: 'a time in UTC, such as 2026-11-20T12:00:00Z',
};
