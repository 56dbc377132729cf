import { expect } from 'vitest';
import { expectEnvelope } from '../expect-error.ts';
import type { Reply } from '../merchant.ts';
import type { BadInput, Expectation } from './cases.ts';

/**
 * Factor for time limits, which must not depend on the machine being idle. The limits find requests that
 * hang, not slow ones.
 */
const slack = 5;

export const maxMs = (one: BadInput): number => (one.max_ms ?? 1000) * slack;

const cardNumber = /(?<![0-9A-Za-z])\d{13,19}(?![0-9A-Za-z])/;
const inside =
  /\bat \S+ \(.*:\d+|node_modules|select .+ from |insert into |syntax error at|relation "|duplicate key value/i;

/** Checks the requirements that the file has for every response, whatever the case is about. */
export function expectDecent(one: BadInput, reply: Reply, elapsedMs: number): void {
  expect(reply.status).not.toBe(500);
  expect(elapsedMs).toBeLessThan(maxMs(one));
  expect(reply.text).not.toMatch(cardNumber);
  expect(reply.text).not.toMatch(inside);
  for (const [, code] of JSON.stringify(one).matchAll(/"cvc": *"(\d+)"/g)) {
    expect(reply.text).not.toMatch(new RegExp(`(?<![0-9A-Za-z])${code}(?![0-9A-Za-z])`));
  }
  // A connection that was closed without a response has no headers.
  if (reply.status === 0) return;
  expect(reply.headers.get('service-request-id')).toMatch(/^\S+$/);
  if (reply.status >= 400) expectEnvelope(reply);
}

/** Expects the outcome of the case, or its accepted alternative. */
export function expectOutcome(expected: Expectation, reply: Reply): void {
  const main = { status: expected.status, type: expected.type, code: expected.code };
  const alternative = {
    status: expected.status_alt ?? expected.status,
    type: expected.type_alt ?? expected.type,
    code: expected.code_alt ?? expected.code,
  };
  const got = {
    status: reply.status,
    type: (reply.body?.error?.type ?? null) as string | null,
    code: (reply.body?.error?.code ?? null) as string | null,
  };
  const wanted = reply.status === main.status ? main : alternative;
  // Without a code, the file accepts any code. An alternative status without alternative type or code accepts
  // any of these.
  if (reply.status >= 400 && wanted.code === null) got.code = null;
  if (wanted === alternative && expected.type_alt === undefined) got.type = wanted.type;
  if (wanted === alternative && expected.code_alt === undefined) got.code = wanted.code;
  expect(got).toEqual(wanted);
}

/** Checks the optional parts of an expectation. */
export function expectDetails(
  expected: Expectation,
  reply: Reply,
  sent: { body: unknown; setup: Reply | undefined },
): void {
  const { body } = reply;
  if (expected.header !== undefined) expect(reply.headers.get(expected.header)).toMatch(/\S/);
  if (expected.identical_to_setup === true) expect(reply.text).toBe(sent.setup?.text);
  if (expected.body_status !== undefined) expect(body.status).toBe(expected.body_status);
  if (expected.failure_code !== undefined) expect(body.failure.code).toBe(expected.failure_code);
  if (expected.data_empty === true) expect(body.data).toEqual([]);
  if (expected.data_length !== undefined) expect(body.data).toHaveLength(expected.data_length);
  if (expected.has_more !== undefined) expect(body.has_more).toBe(expected.has_more);
  if (expected.message_contains !== undefined) {
    expect(body.error.message.toLowerCase()).toContain(expected.message_contains.toLowerCase());
  }
  if (expected.echo !== undefined) {
    expect(body[expected.echo]).toBe((sent.body as Record<string, unknown>)[expected.echo]);
  }
}
