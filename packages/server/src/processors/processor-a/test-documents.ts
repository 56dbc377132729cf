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
 * An API document of the upstream. We may not distribute it; where it is available it lies next to the repository. `title`
 * shows in test reports when it was missing.
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
    /** Returns a function that compiles a schema of the document into a validator. */
    validator(): (schema: string) => ValidateFunction {
      const ajv = new Ajv2020({ strict: false, allErrors: true });
      formats.default(ajv);
      ajv.addSchema(read(), 'doc');
      return (schema) => ajv.compile({ $ref: `doc#/components/schemas/${schema}` });
    },
  };
}
