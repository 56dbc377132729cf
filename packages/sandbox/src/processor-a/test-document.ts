import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';

export interface PublishedDocument {
  readonly missing: boolean;
  /** Words for the name of a suite; where the document is missing they say so. */
  readonly note: string;
  /** Of its operations or, in a document of notifications, their names. */
  readonly paths: readonly string[];
  /** What a value has against a schema of the document. */
  readonly problems: (schema: string, value: unknown) => string[];
}

/** One of the upstream's published OpenAPI documents, which a copy of the repository may lack. */
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
