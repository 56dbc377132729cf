import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';

/** Validates responses against PayPal's published OpenAPI documents, if they are available. */

const documentAt = (name: string) =>
  fileURLToPath(new URL(`../../../../../shared/upstream/${name}`, import.meta.url));
const documents = {
  orders: documentAt('paypal-checkout_orders_v2.openapi.json'),
  payments: documentAt('paypal-payments_payment_v2.openapi.json'),
  vault: documentAt('paypal-vault_payment_tokens_v3.openapi.json'),
  disputes: documentAt('paypal-customer_disputes_v1.openapi.json'),
  webhooks: documentAt('paypal-notifications_webhooks_v1.openapi.json'),
};

/** The missing documents. If there are any, nothing can be validated. */
export const missing: readonly string[] = Object.values(documents).filter((path) => !existsSync(path));

/** Text to append to a test's name that says why the test is skipped. */
export const missingNote: string = missing.length > 0 ? ` (not found: ${missing.join(', ')})` : '';

export type Validate = (document: keyof typeof documents, schema: string, value: unknown) => string[];

/** Creates a function that validates a value against a schema and returns the errors. */
export function createValidator(): Validate {
  const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: false, unicodeRegExp: false });
  addFormats.default(ajv);
  for (const [name, path] of Object.entries(documents)) {
    ajv.addSchema(JSON.parse(readFileSync(path, 'utf8')), name);
  }
  return (document, schema, value) => {
    const validate = ajv.getSchema(`${document}#/components/schemas/${schema}`);
    if (validate === undefined) throw new Error(`the document has no schema ${schema}`);
    void validate(value);
    return (validate.errors ?? []).map((error) => `${error.instancePath} ${error.message}`);
  };
}
