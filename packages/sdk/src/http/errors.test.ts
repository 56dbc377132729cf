import { errorCatalogue, errorTypes } from '@till/contract';
import { describe, expect, it } from 'vitest';
import * as sdk from '../index.ts';
import { playSteps, refusal, type Step } from '../test-kit.ts';
import { errorClasses } from './errors.ts';

async function thrownBy(step: Step): Promise<sdk.TillError> {
  const { till } = playSteps([step], { maxRetries: 0 });
  const error = await till.payments.create({ amount: 1, currency: 'EUR' }).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(sdk.TillError);
  return error as sdk.TillError;
}

describe('an error', () => {
  it('has one class for each type of the contract', () => {
    expect(Object.keys(errorClasses).sort()).toEqual([...errorTypes].sort());
    expect(new Set(Object.values(errorClasses)).size).toBe(7);
    for (const one of Object.values(errorClasses)) expect(Object.values(sdk)).toContain(one);
  });

  it.each(Object.entries(errorCatalogue))('%s has the class of its type', async (code, [status, type]) => {
    const error = await thrownBy(refusal(status, type, code));
    expect(error).toBeInstanceOf(errorClasses[type]);
    expect(error.name).toBe(errorClasses[type].name);
    expect(error.stack).toContain(`${error.name}: It is ${code}.`);
    expect(error).toMatchObject({
      type,
      code,
      status,
      message: `It is ${code}.`,
      requestId: 'req_1',
      docUrl: `https://docs/#${code}`,
      retryable: (status >= 500 && code !== 'missing_approval_url') || status === 429,
      idempotencyKey: 'key-1',
      param: undefined,
    });
  });

  it('names the invalid field', async () => {
    const error = {
      type: 'validation_error',
      code: 'invalid_params',
      message: 'amount must be above 0.',
      param: 'amount',
      doc_url: 'https://docs/#invalid_params',
      request_id: 'req_1',
    };
    expect(await thrownBy({ status: 422, body: { error } })).toMatchObject({ param: 'amount' });
  });

  it('of a type that is newer than this package is a TillError with that type', async () => {
    const error = await thrownBy(refusal(422, 'weather_error', 'rain'));
    expect(error.constructor).toBe(sdk.TillError);
    expect(error).toMatchObject({ type: 'weather_error', code: 'rain', status: 422 });
  });

  it.each([
    [{ status: 502, text: '<html></html>' }, true],
    [{ status: 200, text: '<html>Hello</html>' }, false],
    [{ status: 200, text: '' }, false],
    [{ status: 200, text: '1' }, false],
    [{ status: 301, text: '' }, false],
    [{ status: 403, text: '{"message":"Forbidden"}' }, false],
    [{ status: 403, text: '{"error":"Forbidden"}' }, false],
    [{ status: 403, text: 'null' }, false],
  ])('for the answer %j, which is none of the API, is an ApiError', async (step, retryable) => {
    const error = await thrownBy(step);
    expect(error).toBeInstanceOf(sdk.ApiError);
    expect(error).toMatchObject({ code: 'unexpected_answer', status: step.status, retryable });
    expect(error.message).toContain('POST /api/v1/payments');
  });
});

describe('a decline', () => {
  const failed = { id: 'pay_1', status: 'failed', failure: { code: 'do_not_honor', message: 'No.' } };

  it('is returned, not thrown', async () => {
    const { till } = playSteps([{ status: 200, body: failed }]);
    const payment = await till.payments.create({ amount: 1, currency: 'EUR' });
    expect(sdk.isDeclined(payment) && payment.failure.code).toBe('do_not_honor');
  });

  it('is distinguished from what succeeded or is pending', async () => {
    for (const status of ['succeeded', 'authorized', 'requires_action', 'voided']) {
      const { till } = playSteps([{ status: 200, body: { id: 'pay_1', status, failure: null } }]);
      expect(sdk.isDeclined(await till.payments.retrieve('pay_1'))).toBe(false);
    }
  });
});
