import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';

const escapePointer = (part: string) => part.replaceAll('~', '~0').replaceAll('/', '~1');

/** Compiles schemas of an OpenAPI document by their paths within it. */
export function schemasOf(document: object): (...way: string[]) => ValidateFunction {
  // Till's own formats, such as https-url, only inform human readers.
  const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: true, logger: false });
  (addFormats as unknown as { default: (ajv: Ajv2020) => void }).default(ajv);
  for (const format of ['https-url', 'ip', 'language-tag', 'person-name']) ajv.addFormat(format, true);
  ajv.addSchema(document, 'openapi.json');
  return (...way) => {
    const pointer = way.map((part) => encodeURIComponent(escapePointer(part))).join('/');
    return ajv.compile({ $ref: `openapi.json#/${pointer}` });
  };
}
