import { type AmountRange, invalidParam, type PaymentLinkCreate } from '@till/contract';
import { currencyExponent } from '@till/contract/currencies';

/**
 * Checks the rules for a new link that the schema cannot express.
 * @param now account time
 * @throws ApiError `invalid_params` naming the field
 */
export function checkNewLink(request: PaymentLinkCreate, now: Date): void {
  const { amount, amount_range: range, currency } = request;
  if (currencyExponent(currency) === undefined) {
    throw invalidParam(
      'currency',
      `currency must be an active ISO 4217 code with minor units, such as EUR; "${currency}" was sent.`,
    );
  }
  if (amount === undefined && range === undefined) {
    throw invalidParam('amount', 'amount or amount_range is required.');
  }
  if (amount !== undefined && range !== undefined) {
    throw invalidParam('amount_range', 'Send amount or amount_range, not both.');
  }
  if (range !== undefined) checkRange(range);
  readEnd(request.expires_at, now);
}

function checkRange({ min, max, suggested }: AmountRange): void {
  if (max < min) {
    throw invalidParam(
      'amount_range.max',
      `amount_range.max must not be below amount_range.min, ${min}; ${max} was sent.`,
    );
  }
  if (suggested !== undefined && (suggested < min || suggested > max)) {
    throw invalidParam(
      'amount_range.suggested',
      `amount_range.suggested must be from ${min} to ${max}; ${suggested} was sent.`,
    );
  }
}

/** Parses the end of a link. @param now account time @throws ApiError `invalid_params` if it is no time, or not in the future */
export function readEnd(sent: string | null | undefined, now: Date): Date | null {
  if (sent == null) return null;
  const end = new Date(sent);
  // `Date` reads `2026-02-30` as a day in March.
  if (Number.isNaN(end.getTime()) || end.toISOString().slice(0, 19) !== sent.slice(0, 19)) {
    throw invalidParam(
      'expires_at',
      `expires_at must be a time in UTC, such as 2026-12-31T23:59:59Z; "${sent}" was sent.`,
    );
  }
  if (end.getTime() <= now.getTime()) {
    throw invalidParam('expires_at', `expires_at must be in the future; ${sent} was sent.`);
  }
  return end;
}
