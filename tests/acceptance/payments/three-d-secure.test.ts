import { beforeAll, describe, expect, it } from 'vitest';
import { expectError } from '../../support/expect-error.ts';
import { Merchant } from '../../support/merchant.ts';
import { publishedTriggers } from '../../support/triggers.ts';

const rows = (await publishedTriggers()).filter(
  ({ processor, trigger }) => processor === 'processor_a' && trigger.field === 'payment_method.number',
);

/** The issuer's result (EMV 3-D Secure letters), by the words of the published table. */
const results: readonly (readonly [letter: string, words: RegExp, outcome: object, result: object])[] = [
  [
    'Y',
    /challenge: authenticated/,
    { status: 'succeeded', failure: null },
    { liability_shift: 'POSSIBLE', enrollment_status: 'Y', authentication_status: 'Y' },
  ],
  [
    'A',
    /attempt recorded/,
    { status: 'succeeded', failure: null },
    { liability_shift: 'POSSIBLE', enrollment_status: 'Y', authentication_status: 'A' },
  ],
  [
    'N',
    /challenge: not authenticated/,
    { status: 'failed', failure: { code: '3ds_failed' } },
    { liability_shift: 'NO', enrollment_status: 'Y', authentication_status: 'N' },
  ],
  [
    'R',
    /rejects the authentication/,
    { status: 'failed', failure: { code: '3ds_failed' } },
    { liability_shift: 'NO', enrollment_status: 'Y', authentication_status: 'R' },
  ],
  [
    'U',
    /cannot authenticate/,
    { status: 'failed', failure: { code: '3ds_not_available' } },
    { liability_shift: 'NO', enrollment_status: 'Y', authentication_status: 'U' },
  ],
];

const numbersOf = (words: RegExp) => {
  const numbers = rows.filter((row) => words.test(row.outcome)).map((row) => row.trigger.value);
  if (numbers.length === 0) throw new Error(`the published table has no row for ${words}`);
  return numbers;
};
const authenticating = numbersOf(/challenge: authenticated/)[0];
const notEnrolled = numbersOf(/not available for the card/);

const noUrls = { success_url: undefined, failure_url: undefined };

let enabled: Merchant;
let off: Merchant;
let always: Merchant;

beforeAll(async () => {
  [enabled, off, always] = await Promise.all([
    Merchant.open('processor_a'),
    Merchant.open('processor_a', '--three-d-secure', 'off'),
    Merchant.open('processor_a', '--three-d-secure', 'always'),
  ]);
});

describe('authentication without a challenge', () => {
  const cases = results.flatMap(([letter, words, outcome, result]) =>
    numbersOf(words).map((number) => [letter, number, outcome, result] as const),
  );

  it.each(cases)('answers %s: card %s', async (_letter, number, outcome, result) => {
    for (const merchant of [enabled, always]) {
      const reply = await merchant.pay({ card: { number } });
      expect(reply.body).toMatchObject(outcome);
      expect(reply.body.three_d_secure).toEqual(result);
      expect(reply.body).not.toHaveProperty('next_action');
      expect((await merchant.get(`/api/v1/payments/${reply.body.id}`)).text).toBe(reply.text);
    }
  });

  it.each(notEnrolled)(
    'is not possible for the card %s: no shift, or refused where it is forced',
    async (number) => {
      const allowed = await enabled.pay({ card: { number } });
      expect(allowed.status).toBe(201);
      expect(['NO', 'UNKNOWN']).toContain(allowed.body.three_d_secure.liability_shift);
      expect(allowed.body.three_d_secure).not.toHaveProperty('authentication_status');
      const forced = await always.pay({ card: { number } });
      expect(forced.status).toBe(200);
      expect(forced.body).toMatchObject({ status: 'failed', failure: { code: '3ds_not_available' } });
    },
  );

  it('leaves no three_d_secure on a payment without a result', async () => {
    expect((await enabled.pay()).body).not.toHaveProperty('three_d_secure');
  });
});

describe('a connection with 3-D Secure enabled', () => {
  it('is the default on processor_a and requires both addresses', async () => {
    for (const field of ['success_url', 'failure_url']) {
      expectError(await enabled.pay({ [field]: undefined }), 'invalid_params', field);
    }
    expectError(await enabled.pay(noUrls), 'invalid_params');
  });

  it('is skipped by authentication never: no addresses, no result', async () => {
    const reply = await enabled.pay({ ...noUrls, authentication: 'never', card: { number: authenticating } });
    expect(reply.status).toBe(201);
    expect(reply.body).not.toHaveProperty('three_d_secure');
  });
});

describe('a connection with 3-D Secure off', () => {
  it('needs no addresses and gives no result', async () => {
    const reply = await off.pay({ ...noUrls, card: { number: authenticating } });
    expect(reply.status).toBe(201);
    expect(reply.body).not.toHaveProperty('three_d_secure');
  });

  it('still checks addresses that are sent', async () => {
    expectError(await off.pay({ success_url: 'http://shop.example' }), 'invalid_params', 'success_url');
  });

  it.each(['automatic', 'always'])(
    'is opted into by authentication %s, with both addresses',
    async (authentication) => {
      expectError(await off.pay({ authentication, success_url: undefined }), 'invalid_params', 'success_url');
      expectError(await off.pay({ authentication, failure_url: undefined }), 'invalid_params', 'failure_url');
      const reply = await off.pay({ authentication, card: { number: authenticating } });
      expect(reply.status).toBe(201);
      expect(reply.body.three_d_secure.liability_shift).toBe('POSSIBLE');
    },
  );
});

describe('a connection with 3-D Secure always', () => {
  it('ignores authentication never', async () => {
    expectError(await always.pay({ ...noUrls, authentication: 'never' }), 'invalid_params');
    const reply = await always.pay({ authentication: 'never', card: { number: authenticating } });
    expect(reply.body.three_d_secure.liability_shift).toBe('POSSIBLE');
  });
});
