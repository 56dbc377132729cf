import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export type Value = null | boolean | number | string | Value[] | { [name: string]: Value };

export interface BadRequest {
  readonly method: string;
  readonly path: string | null;
  readonly headers: Readonly<Record<string, Value>>;
  readonly body?: Value;
  readonly raw?: Value;
}

export interface Expectation {
  readonly status: number;
  readonly status_alt?: number;
  readonly type: string | null;
  readonly type_alt?: string;
  readonly code: string | null;
  readonly code_alt?: string;
  readonly header?: string;
  readonly identical_to_setup?: boolean;
  readonly body_status?: string;
  readonly failure_code?: string;
  readonly echo?: string;
  readonly data_empty?: boolean;
  readonly data_length?: number;
  readonly has_more?: boolean;
  readonly message_contains?: string;
  readonly then_status?: string;
  readonly some_of_them?: boolean;
  readonly soft?: readonly string[];
  readonly exit?: number | 'any';
}

export interface BadInput extends BadRequest {
  readonly name: string;
  readonly setup?: readonly BadRequest[];
  readonly expect: Expectation;
  readonly max_ms?: number;
  readonly times?: string;
  readonly trigger?: { readonly processor: string; readonly match: string };
  readonly cli?: readonly string[];
}

const file = fileURLToPath(new URL('../../../../shared/bad-inputs.json', import.meta.url));

/** Reads the cases from the file next to the repository. Returns undefined if the file does not exist. */
export function sharedCases(): readonly BadInput[] | undefined {
  if (!existsSync(file)) return undefined;
  return (JSON.parse(readFileSync(file, 'utf8')) as { cases: BadInput[] }).cases;
}

/** Returns the names of the placeholders in a case, such as `key_a` for `{key_a}`. */
export function placeholdersOf(value: unknown): string[] {
  const names = JSON.stringify(value).matchAll(/\{([a-z][a-z0-9_]*)\}/g);
  return [...new Set([...names].map((match) => match[1] ?? ''))];
}
