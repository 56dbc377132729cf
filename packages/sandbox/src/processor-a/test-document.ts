import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';

export interface PublishedDocument {
  readonly missing: boolean;
  /** Text to append to the name of a test suite. It names the document if the document is missing. */
  readonly note: string;
  /** Paths of its operations or, in a document about notifications, their names. */
  readonly paths: readonly string[];
  /** Validates a value against a schema of the document and returns the errors. */
  readonly problems: (schema: string, value: unknown) => string[];
}

/** Reads one of the upstream's published OpenAPI documents. A copy of the repository may lack it. */
export function publishedDocument(name: string): PublishedDocument {
  const path = fileURLToPath(new URL(`../../../../../shared/upstream/${name}`, import.meta.url));
  const missing = !existsSync(path);
  const document = missing ? {} : JSON.parse(readFileSync(path, 'utf8'));
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  addFormats.default(ajv);
  ajv.addSchema(document, 'document');
  return {
    missing,
    paths: Object.keys({ ...document.paths, ...document.webhooks }),
    note: missing ? ` (not found: ${path})` : '',
    problems: (schema, value) => {
      const validate = ajv.getSchema(`document#/components/schemas/${schema}`);
      if (validate === undefined) throw new Error(`the document has no schema ${schema}`);
      void validate(value);
      return (validate.errors ?? []).map((error) => `${error.instancePath} ${error.message}`);
    },
  };
}
