import {
  disputeApi,
  merchantApi,
  namedSchemas,
  type Operation,
  paymentMethodApi,
  refundApi,
} from '@till/contract';
import { dashboardApi } from '@till/contract/dashboard';
import { Ajv } from 'ajv';
import { describe, expect, it } from 'vitest';
import { createValidator, refusal } from './validate.ts';

const operations: readonly Pick<Operation, 'id' | 'body' | 'query'>[] = [
  merchantApi,
  disputeApi,
  paymentMethodApi,
  refundApi,
  dashboardApi,
].flatMap((api) => Object.values(api));
const ajv = createValidator(namedSchemas);
// Validates the schemas themselves, which the server does not do at its start.
const draft = new Ajv({ strict: false });

describe('the schemas of request validation', () => {
  it('are compiled once for the whole process', () => {
    expect(createValidator(namedSchemas)).toBe(ajv);
    expect(operations.length).toBeGreaterThan(60);
  });

  it.each(operations)('are valid JSON Schema whose references resolve: $id', ({ body, query }) => {
    for (const schema of [body, query]) {
      if (schema === undefined) continue;
      expect(draft.validateSchema(schema), draft.errorsText()).toBe(true);
      expect(ajv.compile(schema)).toBeTypeOf('function');
    }
  });

  it.each(namedSchemas)('have valid names: $id', (schema) => {
    expect(draft.validateSchema(schema), draft.errorsText()).toBe(true);
  });
});

describe('the refusal for a body', () => {
  const { body: schema, missingFields } = merchantApi.createPayment;
  const refusalOf = (stc: object) => {
    const validate = ajv.compile(schema as object);
    validate({ amount: 1, currency: 'EUR', stc });
    return refusal(validate, missingFields);
  };

  it('names the first fault, also where the path of a later one begins like its own', () => {
    expect(refusalOf({ a1: [], a10: [] })).toMatchObject({ code: 'invalid_params', param: 'stc.a1' });
  });

  // Comparing all pairs of faults took half a minute, during which the process answered no request.
  it('full of faults holds nobody up', { timeout: 10_000 }, () => {
    const keys = Array.from({ length: 20_000 }, (_, n) => [`key_${n}`, []] as const);
    expect(refusalOf(Object.fromEntries(keys))).toMatchObject({ code: 'invalid_params', param: 'stc' });
  });
});
