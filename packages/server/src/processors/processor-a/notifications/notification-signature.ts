import { createHmac, timingSafeEqual } from 'node:crypto';
import { type JsonObject, jsonObject, jsonText } from '../../wire/json.ts';

/** The key of a connection's signatures; undefined unless it is 32 bytes in hex. */
export const hmacKeyOf = (hex: string | undefined): Buffer | undefined =>
  hex !== undefined && /^[0-9A-F]{64}$/i.test(hex) ? Buffer.from(hex, 'hex') : undefined;

/** Compares in constant time; timing can reveal only whether the lengths differ. */
export const sameBytes = (one: Uint8Array, other: Uint8Array): boolean =>
  one.length === other.length && timingSafeEqual(one, other);

/**
 * Whether a notification item has the right signature: HMAC-SHA256 in base64 over eight values joined by colons (Adyen docs,
 * "Verify HMAC signatures"). The values are not escaped, so a colon is allowed only in the two references that can contain
 * one; otherwise the same text could be read in two ways.
 */
export function isSigned(item: JsonObject, key: Buffer): boolean {
  const amount = jsonObject(item.amount);
  const references = [jsonText(item, 'pspReference'), jsonText(item, 'merchantReference')];
  const others = [
    jsonText(item, 'originalReference'),
    jsonText(item, 'merchantAccountCode'),
    jsonText(amount, 'value'),
    jsonText(amount, 'currency'),
    jsonText(item, 'eventCode'),
    jsonText(item, 'success'),
  ];
  if (others.some((value) => value?.includes(':'))) return false;
  const [pspReference, merchantReference] = references;
  const [originalReference, merchantAccount, ...rest] = others;
  const text = [pspReference, originalReference, merchantAccount, merchantReference, ...rest]
    .map((value) => value ?? '')
    .join(':');
  const presented = jsonText(jsonObject(item.additionalData), 'hmacSignature') ?? '';
  return sameBytes(Buffer.from(presented, 'base64'), createHmac('sha256', key).update(text).digest());
}
