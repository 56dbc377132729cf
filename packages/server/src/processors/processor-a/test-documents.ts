import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';

/** The part of an OpenAPI document that the tests read. */
interface OpenApiDocument {
  readonly paths: Record<string, Record<string, { parameters?: { name?: string; required?: boolean }[] }>>;
  readonly components: {
    readonly schemas: Record<string, { properties?: object }>;
    readonly examples: Record<string, { value: unknown }>;
  };
}

/**
 * An API document of the upstream. It is not ours to distribute; it lies beside the repository where it is available, and
 * `title` shows in a test report where it was missed.
 */
export function upstreamDocument(name: string) {
  const path = fileURLToPath(
    new URL(`../../../../../../shared/upstream/${name}.openapi.json`, import.meta.url),
  );
  const present = existsSync(path);
  const read = (): OpenApiDocument => JSON.parse(readFileSync(path, 'utf8'));
  return {
    present,
    title: present ? `the API document ${name}` : `skipped: no ${path}`,
    read,
    /** Checks values against a schema of the document. */
    validator(): (schema: string) => ValidateFunction {
      const ajv = new Ajv2020({ strict: false, allErrors: true });
      formats.default(ajv);
      ajv.addSchema(read(), 'doc');
      return (schema) => ajv.compile({ $ref: `doc#/components/schemas/${schema}` });
    },
  };
}
