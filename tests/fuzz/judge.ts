import { errorCatalogue, errorTypes, namedSchemas, type Operation } from '@till/contract';
import { Ajv } from 'ajv';
import addFormats from 'ajv-formats';

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
  readonly ms: number;
}

const ajv = new Ajv({ strict: false });
addFormats.default(ajv);
for (const format of ['https-url', 'ip', 'language-tag', 'person-name']) ajv.addFormat(format, true);
for (const schema of namedSchemas) ajv.addSchema(schema);

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';

function faultOfError({ status, headers, text }: Answer): string | undefined {
  const { error } = (parse(text) ?? {}) as { error?: Record<string, unknown> };
  if (error === undefined) return 'an error without envelope';
  const known = Object.entries(errorCatalogue).find(([code]) => code === error.code)?.[1];
  if (known === undefined) return `an error of the unknown code ${String(error.code)}`;
  if (known[0] !== status && error.code !== 'provider_error') return `${String(error.code)} with ${status}`;
  if (!(errorTypes as readonly unknown[]).includes(error.type)) {
    return `the unknown type ${String(error.type)}`;
  }
  if (known[1] !== error.type) return `${String(error.code)} of type ${String(error.type)}`;
  if (!isText(error.message) || error.message.length > 1000) return 'a message that is empty or very long';
  if (!isText(error.doc_url)) return 'no doc_url';
  if (error.request_id !== headers['service-request-id']) return 'another request_id than in the header';
  return 'param' in error && !isText(error.param) ? 'an empty param' : undefined;
}

/**
 * Returns what is wrong with a response, whatever the request was, or undefined if nothing is.
 * @param operation the operation of the request; undefined if its path was changed
 */
export function faultOf(answer: Answer, operation: Operation | undefined): string | undefined {
  const { status, headers, text } = answer;
  if (status >= 500) return `status ${status}`;
  if (!/^req_[0-9a-z]{24}$/.test(String(headers['service-request-id']))) return 'no Service-Request-Id';
  if (status >= 400) {
    if (!String(headers['content-type']).startsWith('application/json')) return 'an error that is not JSON';
    return faultOfError(answer);
  }
  const schema = operation?.answers[status];
  if (operation === undefined) return undefined;
  if (schema === undefined) return `status ${status}, which ${operation.id} does not name`;
  if (!ajv.validate(schema, parse(text))) return `not what the contract says: ${ajv.errorsText()}`;
  return undefined;
}
