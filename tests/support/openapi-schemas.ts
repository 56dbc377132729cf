import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';

const escapePointer = (part: string) => part.replaceAll('~', '~0').replaceAll('/', '~1');

/** Compiles the schemas of an OpenAPI document by the way that leads to them. */
export function schemasOf(document: object): (...way: string[]) => ValidateFunction {
  // Formats of ours, such as https-url, say something to people only.
  const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: true, logger: false });
  (addFormats as unknown as { default: (ajv: Ajv2020) => void }).default(ajv);
  for (const format of ['https-url', 'ip', 'language-tag', 'person-name']) ajv.addFormat(format, true);
  ajv.addSchema(document, 'openapi.json');
  return (...way) => {
    const pointer = way.map((part) => encodeURIComponent(escapePointer(part))).join('/');
    return ajv.compile({ $ref: `openapi.json#/${pointer}` });
  };
}
