import { ApiError, type ErrorCode, invalidParam } from '@till/contract';
import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import type { TSchema } from 'typebox';
import { shownPath } from './body.ts';
import { formats } from './formats.ts';

/** Compiles the contract's schemas. No coercion: the string "1000" must never become a charge. */
export function createValidator(named: readonly TSchema[]): Ajv {
  const ajv = new Ajv({
    allErrors: true,
    coerceTypes: false,
    removeAdditional: false,
    useDefaults: false,
    strict: false,
    verbose: true,
    formats,
  });
  for (const schema of named) ajv.addSchema(schema);
  return ajv;
}

interface SchemaPart {
  readonly type?: string;
  readonly description?: string;
  readonly enum?: readonly unknown[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly maxItems?: number;
  readonly maxProperties?: number;
  readonly format?: string;
  readonly pattern?: string;
}

const formatWords: Readonly<Record<string, string>> = {
  email: 'an e-mail address with one @ and a dot in the domain, of at most 254 characters',
  date: 'a date YYYY-MM-DD',
  'https-url': 'an https:// URL without fragment, spaces or credentials',
  ip: 'an IPv4 or IPv6 address',
};

function expectedNumber(schema: SchemaPart): string {
  const noun = schema.type === 'integer' ? 'an integer' : 'a number';
  if (schema.minimum === undefined) return noun;
  return schema.maximum === undefined
    ? `${noun} of at least ${schema.minimum}`
    : `${noun} from ${schema.minimum} to ${schema.maximum}`;
}

function expectedText(schema: SchemaPart): string {
  if (schema.format !== undefined) {
    const words = formatWords[schema.format] ?? 'a valid value';
    return schema.format === 'https-url' ? `${words}, of at most ${schema.maxLength} characters` : words;
  }
  if (schema.pattern !== undefined && schema.description !== undefined) {
    return `text of this form: ${schema.description.replace(/\.$/, '')}`;
  }
  const least = schema.minLength === undefined ? '' : ' that is not empty,';
  return schema.maxLength === undefined
    ? 'a string'
    : `a string${least} of at most ${schema.maxLength} characters`;
}

/** What a schema asks for, in words. */
function expected(schema: SchemaPart): string {
  if (schema.enum !== undefined) return `one of ${schema.enum.join(', ')}`;
  switch (schema.type) {
    case 'integer':
    case 'number':
      return expectedNumber(schema);
    case 'string':
      return expectedText(schema);
    case 'boolean':
      return 'true or false';
    case 'array':
      return schema.maxItems === undefined ? 'an array' : `an array of at most ${schema.maxItems} items`;
    case 'object':
      return schema.maxProperties === undefined
        ? 'an object'
        : `an object of at most ${schema.maxProperties} keys`;
    default:
      return 'a valid value';
  }
}

/** `/line_items/0/unit_amount` as `line_items[0].unit_amount`. */
function pathOf(instancePath: string): string {
  return instancePath
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .map((part, index) => (/^\d+$/.test(part) ? `[${part}]` : index === 0 ? part : `.${part}`))
    .join('');
}

const join = (path: string, field: string) => (path === '' ? field : `${path}.${field}`);

interface Fault {
  readonly param: string;
  readonly message: string;
  readonly missing: boolean;
}

function toFault(error: ErrorObject): Fault {
  const path = shownPath(pathOf(error.instancePath));
  switch (error.keyword) {
    case 'required': {
      const param = join(path, (error.params as { missingProperty: string }).missingProperty);
      return { param, message: `${param} is required.`, missing: true };
    }
    case 'propertyNames': {
      const key = (error.params as { propertyName: string }).propertyName;
      const most = (error.schema as SchemaPart).maxLength;
      return {
        param: path,
        message: `${path} must not have the key "${key.slice(0, 60)}": keys are of at most ${most} characters.`,
        missing: false,
      };
    }
    case 'additionalProperties': {
      const key = (error.params as { additionalProperty: string }).additionalProperty;
      return {
        param: path,
        message: `${path} must have snake_case keys, not "${key.slice(0, 60)}".`,
        missing: false,
      };
    }
    case 'anyOf':
      return { param: path, message: `${path} ${anyOfWords(error)}`, missing: false };
    default:
      return {
        param: path,
        message: `${path} must be ${expected(error.parentSchema as SchemaPart)}.`,
        missing: false,
      };
  }
}

function anyOfWords(error: ErrorObject): string {
  const branches = (error.schema as readonly (SchemaPart & { $ref?: string })[]).map((branch) =>
    branch.type === 'null' ? 'null' : branch.$ref === undefined ? expected(branch) : 'an object',
  );
  return `must be ${[...new Set(branches)].join(' or ')}.`;
}

/** Of the errors of a union only the deepest say something: the others belong to branches that were not meant. */
function withoutUnionNoise(errors: readonly ErrorObject[]): ErrorObject[] {
  const unions = errors.filter((error) => error.keyword === 'anyOf');
  const hidden = new Set<ErrorObject>();
  for (const union of unions) {
    const inside = errors.filter(
      (error) => error !== union && error.instancePath.startsWith(union.instancePath),
    );
    const deeper = inside.filter(
      (error) => error.instancePath !== union.instancePath || error.keyword === 'required',
    );
    if (deeper.length > 0 && typeof union.data === 'object' && union.data !== null) hidden.add(union);
    for (const error of inside) if (!hidden.has(union) || !deeper.includes(error)) hidden.add(error);
  }
  return errors.filter((error) => !hidden.has(error) && error.keyword !== 'if');
}

/**
 * The refusal for a value that a schema does not accept.
 * @param missingFields paths whose absence is 400 `missing_field`; they are reported before anything else
 * @param codes codes of faults in these fields, instead of `invalid_params`
 */
export function refusal(
  validate: ValidateFunction,
  missingFields: readonly string[],
  codes: Readonly<Record<string, ErrorCode>> = {},
): ApiError {
  const faults = withoutUnionNoise(validate.errors ?? [])
    // The names of too long keys come twice: once for the name itself, without a path.
    .filter((error) => (error as { propertyName?: string }).propertyName === undefined)
    .map(toFault);
  const missing = faults.find((fault) => fault.missing && missingFields.includes(fault.param));
  if (missing !== undefined) return new ApiError('missing_field', missing.message, { param: missing.param });
  const first = faults[0];
  if (first === undefined) return invalidParam('', 'The request is not valid.');
  const code = codes[/^[^.[]*/.exec(first.param)?.[0] ?? ''] ?? 'invalid_params';
  return new ApiError(code, first.message, { param: first.param });
}
