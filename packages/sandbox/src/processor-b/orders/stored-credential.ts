import { isObject, type JsonObject, objectIn } from '../../lib/json.ts';
import type { StoredUse } from '../model/order.ts';
import { malformed, unprocessable } from '../wire/errors.ts';
import { requiredObject } from '../wire/fields.ts';

type Initiator = StoredUse['initiator'];

const paymentTypes = ['ONE_TIME', 'RECURRING', 'UNSCHEDULED'];
const usages = ['FIRST', 'SUBSEQUENT', 'DERIVED'];
const usagePatterns = [
  'IMMEDIATE',
  'DEFERRED',
  ...['RECURRING', 'THRESHOLD', 'SUBSCRIPTION', 'UNSCHEDULED', 'INSTALLMENT'].flatMap((pattern) => [
    `${pattern}_PREPAID`,
    `${pattern}_POSTPAID`,
  ]),
];

function oneOf(credential: JsonObject, name: string, values: readonly string[], at: string): string | null {
  const value = credential[name];
  if (value === undefined || value === null) return null;
  if (typeof value !== 'string' || !values.includes(value)) {
    throw malformed('INVALID_PARAMETER_VALUE', `${at}/${name}`);
  }
  return value;
}

function requiredOneOf(credential: JsonObject, name: string, values: readonly string[], at: string): string {
  const value = oneOf(credential, name, values, at);
  if (value === null) throw malformed('MISSING_REQUIRED_PARAMETER', `${at}/${name}`);
  return value;
}

function readInitiator(credential: JsonObject, at: string): Initiator {
  const initiator = requiredOneOf(credential, 'payment_initiator', ['CUSTOMER', 'MERCHANT'], at);
  return initiator === 'MERCHANT' ? 'MERCHANT' : 'CUSTOMER';
}

function checkReferences(credential: JsonObject, initiator: Initiator, at: string): void {
  const names = ['previous_network_transaction_reference', 'previous_transaction_reference'];
  const given = names.filter((name) => credential[name] !== undefined);
  if (given.length === 0) return;
  if (initiator === 'CUSTOMER' || given.length > 1) {
    throw unprocessable('INCOMPATIBLE_PARAMETER_VALUE', `${at}/${given[0]}`);
  }
  const network = credential.previous_network_transaction_reference;
  if (network === undefined) return;
  const { id, network: scheme, date } = requiredObject(network, `${at}/${names[0]}`);
  if (typeof id !== 'string' || id.length < 9 || id.length > 36) {
    throw malformed('INVALID_STRING_LENGTH', `${at}/${names[0]}/id`);
  }
  // These two schemes also need the date to find the earlier payment.
  if ((scheme === 'MASTERCARD' || scheme === 'DISCOVER') && date === undefined) {
    throw malformed('MISSING_REQUIRED_PARAMETER', `${at}/${names[0]}/date`);
  }
}

function checkMerchantInitiated(card: JsonObject, credential: JsonObject, at: string): void {
  const incompatible = (field: string) => unprocessable('INCOMPATIBLE_PARAMETER_VALUE', field);
  if (card.security_code !== undefined) {
    throw unprocessable('MERCHANT_INITIATED_WITH_SECURITY_CODE', `${at}/security_code`);
  }
  if (objectIn(card, 'attributes').verification !== undefined) {
    throw incompatible(`${at}/attributes/verification`);
  }
  if (credential.payment_type === 'ONE_TIME') throw incompatible(`${at}/stored_credential/payment_type`);
  if (credential.usage === 'FIRST') throw incompatible(`${at}/stored_credential/usage`);
}

/**
 * Checks the rules of saved payment sources and returns who initiates the charge (PayPal Orders v2,
 * card_stored_credential; for a wallet its stored_credential). Without `stored_credential` it is the
 * customer.
 */
export function readCredential(source: JsonObject, kind: 'card' | 'paypal'): Initiator {
  const credential = source.stored_credential;
  if (credential === undefined || credential === null) return 'CUSTOMER';
  const at = `/payment_source/${kind}`;
  const field = `${at}/stored_credential`;
  if (!isObject(credential)) throw malformed('INVALID_PARAMETER_SYNTAX', field);
  const initiator = readInitiator(credential, field);
  oneOf(credential, 'usage', usages, field);
  if (kind === 'card') {
    requiredOneOf(credential, 'payment_type', paymentTypes, field);
    checkReferences(credential, initiator, field);
    if (initiator === 'MERCHANT') checkMerchantInitiated(source, credential, at);
  } else {
    oneOf(credential, 'usage_pattern', usagePatterns, field);
    if (initiator === 'MERCHANT' && credential.usage === 'FIRST') {
      throw unprocessable('INCOMPATIBLE_PARAMETER_VALUE', `${field}/usage`);
    }
  }
  return initiator;
}
