/**
 * Every card number that the sandbox charges. Sources: the test card pages of Adyen (including 3-D Secure 2)
 * and PayPal (card testing, 3-D Secure test scenarios).
 */

export type Brand =
  | 'visa'
  | 'mastercard'
  | 'amex'
  | 'discover'
  | 'diners'
  | 'jcb'
  | 'maestro'
  | 'bancontact'
  | 'cartes_bancaires'
  | 'unionpay';

/** The result of 3-D Secure if the issuer asks the cardholder nothing. */
export type FrictionlessResult =
  | 'authenticated'
  | 'attempted'
  | 'failed'
  | 'rejected'
  | 'unavailable'
  | 'not_enrolled';

/**
 * How a challenge ends. The buyer decides it (`buyer`; `fingerprint` checks the device first), it always
 * fails (`fails`) or ends in a technical error (`unavailable`) whatever the buyer does, or the bank's page
 * never returns.
 */
export type Challenge = 'buyer' | 'fingerprint' | 'fails' | 'unavailable' | 'never_returns';

export interface TestCard {
  readonly number: string;
  readonly brand: Brand;
  /** The card's type according to the test bank that issues it, if that matters to a tester. */
  readonly kind?: string;
  readonly frictionless?: FrictionlessResult;
  readonly challenge?: Challenge;
}

/** A well-known test number with a wrong check digit: it passes every check but Luhn's. */
export const luhnInvalidNumber = '4111111111111112';

interface CardsOfBrand {
  readonly brand: Brand;
  readonly cards: readonly (string | readonly [number: string, kind: string])[];
}

const approving: readonly CardsOfBrand[] = [
  {
    brand: 'visa',
    cards: [
      ['4111111111111111', 'consumer'],
      '4988438843884305',
      '4166676667666746',
      '4646464646464644',
      ['4444333322221111', 'corporate'],
      ['4000020000000000', 'credit'],
      ['4400000000000008', 'debit'],
      ['4000620000000007', 'commercial credit'],
      ['4000060000000006', 'commercial debit'],
      ['4005519000000006', 'purchasing'],
      ['4484600000000004', 'fleet'],
      ['4977949494949497', 'gold'],
      '4111111145551142',
      '4111112014267661',
      '4005519200000004',
      '4012000033330026',
      '4012000077777777',
      '4012888888881881',
      '4217651111111119',
      '4500600000000061',
      '4772129056533503',
      '4915805038587737',
    ],
  },
  {
    brand: 'mastercard',
    cards: [
      '5555555555554444',
      '5577000055770004',
      '5555444433331111',
      '2223000048410010',
      ['2222410740360010', 'corporate'],
      '2222400010000008',
      ['2222400050000009', 'purchasing'],
      ['2222400030000004', 'fleet'],
      ['5103221911199245', 'prepaid'],
      '5100060000000002',
      '2223000048400011',
    ],
  },
  { brand: 'amex', cards: ['370000000000002', '370000000100018', '376680816376961'] },
  { brand: 'discover', cards: ['6011601160116611', '6445644564456445', '6011111111111117'] },
  { brand: 'diners', cards: ['36006666333344', '36070500001020', '30569309025904', '36259600000004'] },
  { brand: 'jcb', cards: ['3569990010095841', '3566111111111113'] },
  { brand: 'maestro', cards: ['6771798021000008', '6304000000000000', '5063516945005047'] },
  { brand: 'bancontact', cards: ['6703444444444449'] },
  { brand: 'cartes_bancaires', cards: ['4360000001000005', '4035501428146300'] },
  { brand: 'unionpay', cards: ['6243030000000001'] },
];

interface CardsOfResult {
  readonly result: FrictionlessResult;
  readonly cards: readonly (readonly [brand: Brand, number: string])[];
}

const frictionless: readonly CardsOfResult[] = [
  {
    result: 'authenticated',
    cards: [
      ['mastercard', '5201281505129736'],
      ['visa', '4868719196829038'],
      ['mastercard', '5329879707824603'],
    ],
  },
  {
    result: 'failed',
    cards: [
      ['visa', '4868719158130060'],
      ['mastercard', '5329879769571910'],
    ],
  },
  {
    result: 'rejected',
    cards: [
      ['visa', '4868719081564153'],
      ['mastercard', '5319541865518409'],
    ],
  },
  {
    result: 'attempted',
    cards: [
      ['visa', '4868719581920723'],
      ['mastercard', '5329879715396727'],
    ],
  },
  {
    result: 'unavailable',
    cards: [
      ['visa', '4868719033482561'],
      ['mastercard', '5329879705777613'],
      ['visa', '4868719115514992'],
    ],
  },
  {
    result: 'not_enrolled',
    cards: [
      ['visa', '4868719488651967'],
      ['mastercard', '5329879714462553'],
      ['visa', '4868719632978803'],
    ],
  },
];

interface CardsOfChallenge {
  readonly challenge: Challenge;
  readonly cards: readonly (readonly [brand: Brand, number: string])[];
}

const challenged: readonly CardsOfChallenge[] = [
  {
    challenge: 'buyer',
    cards: [
      ['visa', '4917610000000000'],
      ['visa', '4212345678910006'],
      ['mastercard', '5454545454545454'],
      ['amex', '371449635398431'],
      ['visa', '4868719166101368'],
      ['mastercard', '5329879735316929'],
    ],
  },
  { challenge: 'fingerprint', cards: [['maestro', '5000550000000029']] },
  {
    challenge: 'fails',
    cards: [
      ['visa', '4868719181895556'],
      ['mastercard', '5329879768013724'],
    ],
  },
  {
    challenge: 'unavailable',
    cards: [
      ['visa', '4868719557718580'],
      ['mastercard', '5329879734808405'],
    ],
  },
  { challenge: 'never_returns', cards: [['visa', '4868719494697210']] },
];

function approvingCards(): TestCard[] {
  return approving.flatMap(({ brand, cards }) =>
    cards.map((card) =>
      typeof card === 'string' ? { number: card, brand } : { number: card[0], brand, kind: card[1] },
    ),
  );
}

function frictionlessCards(): TestCard[] {
  return frictionless.flatMap(({ result, cards }) =>
    cards.map(([brand, number]) => ({ number, brand, frictionless: result })),
  );
}

function challengeCards(): TestCard[] {
  return challenged.flatMap(({ challenge, cards }) =>
    cards.map(([brand, number]) => ({ number, brand, challenge })),
  );
}

/** The published test cards, in the order of the documentation. */
export const testCards: readonly TestCard[] = [
  ...approvingCards(),
  ...frictionlessCards(),
  ...challengeCards(),
];

const byNumber = new Map(testCards.map((card) => [card.number, card]));

/**
 * Returns the published test card with this number, or undefined for any other number, above all a real one.
 */
export function findTestCard(number: string): TestCard | undefined {
  return byNumber.get(number);
}
