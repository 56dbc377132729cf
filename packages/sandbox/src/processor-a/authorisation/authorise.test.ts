import { describe, expect, test } from 'vitest';
import { findTestCard, luhnInvalidNumber, testCards } from '../../directives/cards.ts';
import { triggers } from '../../simulators.ts';
import { payment } from '../test-client.ts';
import { type AnswerIds, authorise, type Decline, type PaymentResponse } from './authorise.ts';
import { interpretDirectives } from './directives.ts';
import { readDirectives, readPaymentRequest } from './payment-request.ts';
import { refusalDirectives } from './refusals.ts';

const ids: AnswerIds = {
  pspReference: 'ABCDEFGH12345678',
  authCode: '044925',
  networkTxReference: '123456789012345',
};

function answer(
  card: Readonly<Record<string, string>>,
  attemptAuthentication?: 'always' | 'never',
  rest: Readonly<Record<string, unknown>> = {},
): PaymentResponse {
  const isAmex = /^3[47]/.test(card.number ?? '');
  const body = payment(
    'acct',
    { cvc: isAmex ? '7373' : '737', ...card },
    { ...(attemptAuthentication && { authenticationData: { attemptAuthentication } }), ...rest },
  );
  const { refusal } = interpretDirectives(readDirectives(body));
  const request = readPaymentRequest(body, new Date('2026-12-01T12:00:00Z'));
  const got = authorise(request, findTestCard(request.card.number), refusal, ids);
  if (got.resultCode === 'RedirectShopper') throw new Error('the card meets a challenge');
  return got;
}

/**
 * Maps a refusal to a failure code as a merchant's server should: by the network's text first, then by the
 * code (Adyen docs, "Refusal reasons").
 */
function failureCodeOf({ additionalData, ...refusal }: Decline): string | undefined {
  const raw = additionalData.refusalReasonRaw ?? '';
  const [, network] = /^([0-9A-Z]{2})\s*:/.exec(raw) ?? [];
  const byNetworkCode: Record<string, string> = {
    '05': 'do_not_honor',
    '51': 'insufficient_funds',
    '61': 'insufficient_funds',
    '54': 'expired_card',
    '14': 'invalid_card',
    N7: 'invalid_cvv',
    '41': 'lost_card',
    '43': 'stolen_card',
    '04': 'pickup_card',
    '57': 'restricted_card',
    '62': 'restricted_card',
    '59': 'refused',
    R1: 'refused',
  };
  const byWords: [RegExp, string][] = [
    [/do not hono/i, 'do_not_honor'],
    [/insufficient|over credit limit/i, 'insufficient_funds'],
    [/expired/i, 'expired_card'],
    [/invalid account|no such issuer/i, 'invalid_card'],
    [/cvv|cvc|card verification/i, 'invalid_cvv'],
    [/lost card/i, 'lost_card'],
    [/stolen card/i, 'stolen_card'],
    [/pick.?up/i, 'pickup_card'],
    [/restricted|not permitted/i, 'restricted_card'],
    [/suspected fraud|security|stop payment|revocation/i, 'refused'],
  ];
  const byRefusal: Record<string, string> = {
    '5': 'restricted_card',
    '8': 'invalid_card',
    '10': 'restricted_card',
    '12': 'insufficient_funds',
    '16': '3ds_abandoned',
    '39': '3ds_abandoned',
    '42': '3ds_not_available',
  };
  for (const code of ['2', '3', '14', '15', '20', '22', '26', '31', '32', '38', '46'])
    byRefusal[code] = 'refused';
  const unavailable =
    refusal.threeDS2Result?.transStatus === 'U' || additionalData.threeDOfferedResponse === 'U';
  const fromCode =
    refusal.refusalReasonCode === '11'
      ? unavailable
        ? '3ds_not_available'
        : '3ds_failed'
      : (byRefusal[refusal.refusalReasonCode] ?? 'declined');
  const fromWords = byWords.find(([words]) => words.test(raw))?.[1];
  return byNetworkCode[network ?? ''] ?? fromWords ?? fromCode;
}

/** Adyen's example `post-payments-split-balanceplatform-200`. */
const withoutAuthentication = {
  liabilityShift: 'false',
  threeDOffered: 'false',
  threeDOfferedResponse: 'N/A',
  threeDAuthenticated: 'false',
  threeDAuthenticatedResponse: 'N/A',
};

describe('an ordinary card', () => {
  test('is approved with the facts that a merchant keeps', () => {
    expect(answer({})).toEqual({
      resultCode: 'Authorised',
      pspReference: ids.pspReference,
      merchantReference: expect.stringMatching(/^pay_/),
      amount: { value: 1999, currency: 'EUR' },
      paymentMethod: { type: 'scheme', brand: 'visa' },
      additionalData: {
        cardBin: '411111',
        cardSummary: '1111',
        expiryDate: '3/2030',
        paymentMethod: 'visa',
        avsResult: '5 No AVS data provided',
        cvcResult: '1 Matches',
        cvcResultRaw: 'M',
        authCode: '044925',
        refusalReasonRaw: 'AUTHORISED',
        networkTxReference: '123456789012345',
        acquirerCode: 'TillSandboxAcquirer',
        ...withoutAuthentication,
      },
    });
  });

  test('has its billing address checked', () => {
    const billingAddress = {
      street: 's',
      houseNumberOrName: '1',
      city: 'c',
      postalCode: '1',
      country: 'NL',
    };
    expect(answer({}, undefined, { billingAddress }).additionalData).toMatchObject({
      avsResult: '7 Both postal code and address match',
    });
  });

  test.each([
    ['5555555555554444', 'mc'],
    ['370000000000002', 'amex'],
    ['6011601160116611', 'discover'],
    ['36006666333344', 'diners'],
    ['3569990010095841', 'jcb'],
    ['6771798021000008', 'maestro'],
    ['6703444444444449', 'bcmc'],
    ['4360000001000005', 'cartebancaire'],
    ['6243030000000001', 'cup'],
  ])('%s is of brand %s', (number, brand) => {
    expect(answer({ number })).toMatchObject({ paymentMethod: { type: 'scheme', brand } });
  });

  test('that is published is approved whatever the number, if 3-D Secure is off', () => {
    for (const { number } of testCards) {
      expect(answer({ number }, 'never'), number).toMatchObject({ resultCode: 'Authorised' });
    }
  });

  test.each(['4242424242424242', '4929000000006'])('%s is refused as unpublished', (number) => {
    expect(findTestCard(number)).toBeUndefined();
    expect(answer({ number })).toMatchObject({
      resultCode: 'Refused',
      refusalReasonCode: '8',
      refusalReason: 'Invalid Card Number',
      additionalData: { refusalReasonRaw: '14 : Not a published test card', cardSummary: number.slice(-4) },
    });
  });
});

describe('a refusal', () => {
  test.each(
    refusalDirectives.flatMap((row) => row.values.map((value) => [value, row.case, row.refusal] as const)),
  )('%s (%s) answers its code, with authentication on or off', (holderName, _case, refusal) => {
    for (const number of ['4111111111111111', '4868719158130060', '4242424242424242']) {
      expect(answer({ holderName, number })).toMatchObject({
        resultCode: refusal.resultCode,
        refusalReason: refusal.refusalReason,
        refusalReasonCode: refusal.refusalReasonCode,
        additionalData: { refusalReasonRaw: refusal.refusalReasonRaw },
      });
    }
  });

  test('is asked for in the exact spelling', () => {
    expect(answer({ holderName: 'declined' })).toMatchObject({ resultCode: 'Authorised' });
    expect(answer({ holderName: 'DECLINED ' })).toMatchObject({ resultCode: 'Authorised' });
  });

  test('may be asked for in the description', () => {
    const lineItems = [{ description: 'CCREJECT-REFUSED', quantity: 1 }];
    expect(answer({}, undefined, { lineItems })).toMatchObject({
      refusalReasonCode: '2',
      additionalData: { refusalReasonRaw: '05 : Do not honor' },
    });
  });

  test('says that the security code does not match only where it was the reason', () => {
    expect(answer({ holderName: 'CVC_DECLINED' }).additionalData.cvcResult).toBe("2 Doesn't match");
    expect(answer({ holderName: 'DECLINED' }).additionalData.cvcResult).toBe('1 Matches');
  });

  const promised = triggers.filter(
    (row) =>
      row.processor === 'processor_a' &&
      row.failure_code !== undefined &&
      row.trigger.value !== luhnInvalidNumber,
  );
  test.each(promised.map((row) => [row.trigger.field, row.trigger.value, row.failure_code] as const))(
    '%s = %s reads as %s',
    (field, value, failureCode) => {
      const card = field === 'payment_method.number' ? { number: value } : { holderName: value };
      const got = answer(card);
      expect(got.resultCode === 'Authorised' ? 'approved' : failureCodeOf(got)).toBe(failureCode);
    },
  );
});

describe('3-D Secure without a challenge', () => {
  test.each([
    ['5201281505129736', '02'],
    ['4868719196829038', '05'],
  ])('%s is authenticated', (number, eci) => {
    expect(answer({ number })).toMatchObject({
      resultCode: 'Authorised',
      additionalData: {
        liabilityShift: 'true',
        threeDOffered: 'true',
        threeDOfferedResponse: 'Y',
        threeDAuthenticated: 'true',
        threeDAuthenticatedResponse: 'Y',
        threeDSVersion: '2.2.0',
        eci,
        authCode: '044925',
      },
      threeDS2Result: { transStatus: 'Y', eci },
    });
  });

  test.each([
    ['4868719158130060', 'N'],
    ['5329879769571910', 'N'],
    ['4868719081564153', 'R'],
    ['4868719033482561', 'U'],
    ['4868719115514992', 'U'],
  ])('%s ends with %s before the issuer is asked', (number, transStatus) => {
    const got = answer({ number });
    expect(got).toMatchObject({
      resultCode: 'Refused',
      refusalReasonCode: '11',
      refusalReason: '3D Not Authenticated',
      additionalData: {
        liabilityShift: 'false',
        threeDOffered: 'true',
        threeDOfferedResponse: 'Y',
        threeDAuthenticated: 'false',
        threeDAuthenticatedResponse: transStatus,
      },
      threeDS2Result: { transStatus },
    });
    expect(got.additionalData).not.toHaveProperty('cvcResult');
  });

  test('4868719581920723 is approved on the attempt', () => {
    expect(answer({ number: '4868719581920723' })).toMatchObject({
      resultCode: 'Authorised',
      additionalData: { liabilityShift: 'true', threeDAuthenticatedResponse: 'A', eci: '06' },
    });
  });

  test('4868719488651967 is approved without liability shift, unless authentication is demanded', () => {
    const number = '4868719488651967';
    const approved = answer({ number });
    expect(approved).toMatchObject({
      resultCode: 'Authorised',
      additionalData: { liabilityShift: 'false', threeDOffered: 'true', threeDOfferedResponse: 'U' },
    });
    expect(approved.additionalData).not.toHaveProperty('threeDAuthenticatedResponse');
    expect(answer({ number }, 'always')).toMatchObject({ resultCode: 'Refused', refusalReasonCode: '42' });
  });

  test('has no result where it is off', () => {
    const got = answer({ number: '4868719158130060' }, 'never');
    expect(got).toMatchObject({ resultCode: 'Authorised' });
    expect(got.additionalData).toMatchObject(withoutAuthentication);
    expect(got).not.toHaveProperty('threeDS2Result');
  });
});
