import { ApiError, type ErrorCode, invalidParam } from '@till/contract';
import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import type { TSchema } from 'typebox';
import { shownPath } from './body.ts';
import { fieldError } from './field-error.ts';
import { acceptedWords, type SchemaPart, sentWords } from './field-words.ts';
import { formats } from './formats.ts';

const validators = new WeakMap<readonly TSchema[], Ajv>();

/**
 * Creates the validator of the contract's schemas, once per process. It does not coerce types, because the string "1000" must
 * never become a charge.
 * @param named the schemas that others reference by name
 */
export function createValidator(named: readonly TSchema[]): Ajv {
  const known = validators.get(named);
  if (known !== undefined) return known;
  const ajv = new Ajv({
    allErrors: true,
    coerceTypes: false,
    removeAdditional: false,
    useDefaults: false,
    strict: false,
    // The contract's tests validate the schemas. Doing it here would take longer than compiling all schemas of a start.
    validateSchema: false,
    verbose: true,
    formats,
  });
  for (const schema of named) ajv.addSchema(schema);
  validators.set(named, ajv);
  return ajv;
}

/** Converts `/line_items/0/unit_amount` to `line_items[0].unit_amount`. */
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
      const max = (error.schema as SchemaPart).maxLength;
      return {
        param: path,
        message: `${path} must have keys of at most ${max} characters; ${sentWords(key)} was sent as a key.`,
        missing: false,
      };
    }
    case 'additionalProperties': {
      const key = (error.params as { additionalProperty: string }).additionalProperty;
      return {
        param: path,
        message: `${path} must have snake_case keys, such as sender_account_id; ${sentWords(key)} was sent as a key.`,
        missing: false,
      };
    }
    case 'anyOf':
      return { param: path, message: mustBe(path, unionWords(error), error), missing: false };
    default: {
      const schema = error.parentSchema as SchemaPart;
      return { param: path, message: mustBe(path, acceptedWords(schema), error), missing: false };
    }
  }
}

const mustBe = (path: string, accepted: string, { data, parentSchema }: ErrorObject) =>
  `${path} must be ${accepted}; ${sentWords(data, (parentSchema as SchemaPart).writeOnly === true)} was sent.`;

function unionWords(error: ErrorObject): string {
  const branches = (error.schema as readonly SchemaPart[]).map((branch) =>
    branch.type === 'null' ? 'null' : branch.$ref === undefined ? acceptedWords(branch) : 'an object',
  );
  return [...new Set(branches)].join(' or ');
}

const isUnion = ({ keyword }: ErrorObject) => keyword === 'anyOf';

/**
 * The errors at and below the path of each union, collected in one pass: a body may cause a hundred thousand errors, and
 * processing them blocks the event loop.
 */
function errorsAtUnions(errors: readonly ErrorObject[]): ReadonlyMap<string, readonly ErrorObject[]> {
  const found = new Map(
    errors.filter(isUnion).map(({ instancePath }): [string, ErrorObject[]] => [instancePath, []]),
  );
  for (const error of errors) {
    const { instancePath: path } = error;
    for (let end = path.length; end >= 0; end = end === 0 ? -1 : path.lastIndexOf('/', end - 1)) {
      found.get(path.slice(0, end))?.push(error);
    }
  }
  return found;
}

/** Keeps only the deepest errors of each union: the others belong to branches that the client did not mean. */
function withoutUnionNoise(errors: readonly ErrorObject[]): ErrorObject[] {
  const atUnions = errorsAtUnions(errors);
  const hidden = new Set<ErrorObject>();
  for (const union of errors.filter(isUnion)) {
    const inside = (atUnions.get(union.instancePath) ?? []).filter((error) => error !== union);
    const deeper = new Set(
      inside.filter((error) => error.instancePath !== union.instancePath || error.keyword === 'required'),
    );
    if (deeper.size > 0 && typeof union.data === 'object' && union.data !== null) hidden.add(union);
    for (const error of inside) if (!hidden.has(union) || !deeper.has(error)) hidden.add(error);
  }
  return errors.filter((error) => !hidden.has(error) && error.keyword !== 'if');
}

/**
 * The error for a value that a schema does not accept.
 * @param missingFields the paths of fields whose absence is 400 `missing_field`; they are reported first
 * @param codes error codes for certain fields, used instead of `invalid_params`
 */
export function refusal(
  validate: ValidateFunction,
  missingFields: readonly string[],
  codes: Readonly<Record<string, ErrorCode>> = {},
): ApiError {
  const faults = withoutUnionNoise(validate.errors ?? [])
    // A key that is too long causes two errors; the one for the name itself has no path.
    .filter((error) => (error as { propertyName?: string }).propertyName === undefined)
    .map(toFault);
  const missing = faults.find((fault) => fault.missing && missingFields.includes(fault.param));
  if (missing !== undefined) return new ApiError('missing_field', missing.message, { param: missing.param });
  const first = faults[0];
  if (first === undefined) return invalidParam('', 'The request is not valid.');
  return fieldError(first.param, first.message, codes);
}
