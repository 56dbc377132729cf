import { ApiError } from '@till/contract';

/**
 * The API key that a request presents: `Bearer <key>`, or Basic with the key as user name and an empty password.
 * @throws ApiError `missing_api_key` without the header, `invalid_api_key` for anything else
 */
export function presentedKey(rawHeaders: readonly string[]): string {
  const values: string[] = [];
  for (let index = 0; index < rawHeaders.length; index += 2) {
    if (rawHeaders[index]?.toLowerCase() === 'authorization') values.push(rawHeaders[index + 1] ?? '');
  }
  const [header] = values;
  if (header === undefined) {
    throw new ApiError(
      'missing_api_key',
      'No API key was sent: add the header Authorization: Bearer <API_KEY>.',
    );
  }
  // Node would silently keep the first of two headers, but we must not guess which merchant is meant.
  if (values.length > 1) throw invalidKey('Send one Authorization header only.');
  const [, scheme = '', rest = ''] = /^(\S+) +(\S+)$/.exec(header.trim()) ?? [];
  switch (scheme.toLowerCase()) {
    case 'bearer':
      return rest;
    case 'basic': {
      const [user, password] = splitOnce(Buffer.from(rest, 'base64').toString('utf8'));
      if (password !== '') throw invalidKey(form);
      return user;
    }
    default:
      throw invalidKey(form);
  }
}

function splitOnce(text: string): [string, string] {
  const colon = text.indexOf(':');
  return colon === -1 ? [text, ''] : [text.slice(0, colon), text.slice(colon + 1)];
}

const form =
  'The header Authorization must be Bearer <API_KEY>, or Basic with the key as user name and an empty password.';

function invalidKey(message = 'The API key is not known or was revoked.'): ApiError {
  return new ApiError('invalid_api_key', message);
}
