import type { Provider } from '@till/contract';
import { parseUrl } from '../lib/web/url.ts';
import { processors } from '../processors/registry.ts';
import type { Credentials } from '../processors/upstream/processor.ts';

/** An error in the operator's input. `field` has the name that the operator uses. */
export class CredentialError extends Error {
  readonly field: string;

  constructor(field: string, message: string) {
    super(`${field}: ${message}`);
    this.field = field;
  }
}

/**
 * Validates all of the operator's input at once.
 * @param given names and values, as parsed from JSON
 * @param known the current values, which stay for fields that are not given
 * @throws CredentialError naming the first wrong field, never its value
 */
export function readCredentials(
  processor: Provider,
  livemode: boolean,
  given: unknown,
  known: Credentials = {},
): Credentials {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    throw new CredentialError('input', 'one JSON object was expected');
  }
  const fields = processors[processor].credentialFields;
  const values = new Map<string, unknown>(Object.entries(given));
  for (const name of values.keys()) {
    if (!fields.some((field) => field.name === name)) {
      throw new CredentialError(
        name.slice(0, 50),
        `is not known; ${fields.map((field) => field.name).join(', ')} are`,
      );
    }
  }
  const read: Record<string, string> = {};
  for (const { name, key, meaning, required, pattern } of fields) {
    const value = values.get(name) ?? known[key];
    if (value === undefined) {
      if (required === 'always' || (required === 'live' && livemode)) {
        throw new CredentialError(name, `is missing: ${meaning}`);
      }
      continue;
    }
    if (typeof value !== 'string' || !pattern.test(value)) {
      throw new CredentialError(name, `does not look like it: ${meaning}`);
    }
    read[key] = value;
  }
  return read;
}

/**
 * Validates a base URL that replaces the default one.
 * @returns the URL without a trailing slash
 * @throws CredentialError if credentials would travel unencrypted, or it is not a plain URL
 */
export function readHost(field: string, value: string): string {
  const url = parseUrl(value);
  const isLocal = url !== undefined && /^(localhost|127\.0\.0\.1|\[::1\])$/.test(url.hostname);
  const isProtected = url?.protocol === 'https:' || (url?.protocol === 'http:' && isLocal);
  if (url === undefined || !isProtected || url.search !== '' || url.hash !== '' || url.username !== '') {
    throw new CredentialError(
      field,
      'an https address without query was expected (http on this machine only)',
    );
  }
  return url.href.replace(/\/+$/, '');
}
