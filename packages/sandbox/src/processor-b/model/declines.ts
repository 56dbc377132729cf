/**
 * The declines that a holder name or a description can ask for. The `CCREJECT-` names are PayPal's card
 * rejection triggers (PayPal docs, "Card testing"). The others are those of processor_a, so that one name has
 * the same outcome at both.
 */

export interface DeclineDirective {
  readonly case: string;
  readonly values: readonly string[];
  readonly outcome: string;
  readonly failureCode: string;
  readonly responseCode: string;
  /**
   * PayPal has one code for lost and stolen cards. The simulator adds this field of its own to distinguish
   * them.
   */
  readonly simulatorReason?: string;
}

/** The issuer's response code for an expired card. */
export const cardExpiredCode = '5400';

/**
 * All directives that make the issuer decline a payment. The documentation and the simulator read this table.
 */
export const declineDirectives: readonly DeclineDirective[] = [
  {
    case: 'D1',
    values: ['DECLINED'],
    outcome: 'Declined: refused by the issuer',
    failureCode: 'refused',
    responseCode: '9540',
  },
  {
    case: 'D2',
    values: ['CCREJECT-REFUSED'],
    outcome: 'Declined: the issuer answers do not honor',
    failureCode: 'do_not_honor',
    responseCode: '0500',
  },
  {
    case: 'D3',
    values: ['CCREJECT-EC', 'CARD_EXPIRED'],
    outcome: 'Declined: the issuer says the card is expired',
    failureCode: 'expired_card',
    responseCode: cardExpiredCode,
  },
  {
    case: 'D4',
    values: ['CCREJECT-IF', 'NOT_ENOUGH_BALANCE'],
    outcome: 'Declined: insufficient funds',
    failureCode: 'insufficient_funds',
    responseCode: '5120',
  },
  {
    case: 'D5',
    values: ['CCREJECT-CVV_F', 'CVC_DECLINED'],
    outcome: 'Declined: the security code does not match',
    failureCode: 'invalid_cvv',
    responseCode: '00N7',
  },
  {
    case: 'D6',
    values: ['CCREJECT-IA', 'INVALID_CARD_NUMBER'],
    outcome: 'Declined: the issuer does not know the card number',
    failureCode: 'invalid_card',
    responseCode: '1330',
  },
  {
    case: 'D7',
    values: ['CCREJECT-IRC', 'RESTRICTED_CARD'],
    outcome: 'Declined: the card is restricted',
    failureCode: 'restricted_card',
    responseCode: '5180',
  },
  {
    case: 'D8',
    values: ['CCREJECT-BANK_ERROR', 'DECLINED_NON_GENERIC'],
    outcome: 'Declined by the bank without a usable reason',
    failureCode: 'declined',
    responseCode: '5100',
  },
  {
    case: 'D9',
    values: ['CCREJECT-LS', 'SIM-LOST'],
    outcome: 'Declined: the card is reported lost',
    failureCode: 'lost_card',
    responseCode: '9520',
  },
  {
    case: 'D10',
    values: ['SIM-STOLEN'],
    outcome: 'Declined: the card is reported stolen',
    failureCode: 'stolen_card',
    responseCode: '9520',
    simulatorReason: 'stolen_card',
  },
  {
    case: 'D11',
    values: ['SIM-PICKUP'],
    outcome: 'Declined: the issuer wants the card picked up',
    failureCode: 'pickup_card',
    responseCode: '5150',
  },
  {
    case: 'D12',
    values: ['CCREJECT-SF', 'FRAUD'],
    outcome: 'Declined: suspected fraud',
    failureCode: 'refused',
    responseCode: '9500',
  },
];

const byValue = new Map(declineDirectives.flatMap((row) => row.values.map((value) => [value, row])));

/** Returns the decline that a directive stands for, or undefined if the directive means something else. */
export function findDecline(directive: string): DeclineDirective | undefined {
  return byValue.get(directive);
}

/** The response code for any real or invented number: the sandbox charges published test cards only. */
export const unpublishedCardCode = '1330';
