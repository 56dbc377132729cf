import { createHash } from 'node:crypto';

/** Ids that are derived from what they identify, so that they can be calculated without a lookup. */

const payerIdLetters = '23456789ABCDEFGHJKLMNPQRSTUVWXYZ';
const tokenLetters = 'abcdefghijklmnopqrstuvwxyz0123456789';
const referenceLetters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789';

function spell(text: string, letters: string, length: number): string {
  const bytes = createHash('sha512').update(text).digest().subarray(0, length);
  return Array.from(bytes, (byte) => letters.charAt(byte % letters.length)).join('');
}

/** A PayPal account id: 13 letters and digits. */
export function payPalAccountId(text: string): string {
  return spell(text, payerIdLetters, 13);
}

/** The one PayPal account that approves payments in the sandbox. */
export const sandboxBuyer = {
  email_address: 'buyer@example.com',
  account_id: payPalAccountId('buyer@example.com'),
  name: { given_name: 'Sandbox', surname: 'Buyer' },
} as const;

/** The address of that buyer. */
export const buyerAddress = {
  address_line_1: '1 Main St',
  admin_area_2: 'San Jose',
  admin_area_1: 'CA',
  postal_code: '95131',
  country_code: 'US',
} as const;

/** PayPal's own id of a merchant's customer: 10 digits. */
export function payPalCustomerId(merchantAccount: string, customer: string): string {
  return spell(`customer ${merchantAccount} ${customer}`, '0123456789', 10);
}

/** A vault id: 16 of `[a-z0-9]`. */
export function vaultToken(merchantAccount: string, instrument: string): string {
  return spell(`token ${merchantAccount} ${instrument}`, tokenLetters, 16);
}

/** The id of a setup token: 17 of `[A-Z0-9]`. */
export function setupTokenId(merchantAccount: string, requestId: string): string {
  return spell(`setup ${merchantAccount} ${requestId}`, referenceLetters, 17);
}

/** The id of a dispute: `PP-R-`, three letters and eight digits. */
export function disputeId(merchantAccount: string, dispute: string): string {
  const text = `dispute ${merchantAccount} ${dispute}`;
  return `PP-R-${spell(text, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ', 3)}-${spell(`${text} number`, '0123456789', 8)}`;
}

/** The id of a webhook event, always the same for the same occurrence. */
export function eventId(merchantAccount: string, happening: string): string {
  const text = spell(`event ${merchantAccount} ${happening}`, referenceLetters, 34);
  return `WH-${text.slice(0, 17)}-${text.slice(17)}`;
}
