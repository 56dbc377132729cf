/**
 * The refusals that a holder name or a description can ask for. Codes and texts are from the Adyen docs,
 * "Testing result codes and refusal reasons" and "Refusal reasons". The `CCREJECT-` names are PayPal's card
 * rejection triggers, so that one name has the same outcome at both processors.
 */

export interface Refusal {
  readonly resultCode: 'Refused' | 'Error' | 'Cancelled';
  readonly refusalReasonCode: string;
  readonly refusalReason: string;
  /**
   * The card network's own reason, if the network was asked. Nothing else identifies a lost or stolen card.
   */
  readonly refusalReasonRaw: string;
  readonly cvcMatches?: false;
}

export interface RefusalDirective {
  readonly case: string;
  readonly values: readonly string[];
  readonly outcome: string;
  /** Till's failure code. Absent if it depends on more than this response. */
  readonly failureCode?: string;
  readonly refusal: Refusal;
}

function refused(code: string, reason: string, raw: string): Refusal {
  return { resultCode: 'Refused', refusalReasonCode: code, refusalReason: reason, refusalReasonRaw: raw };
}

/** The issuer's refusal of a stored card whose expiry date has passed. */
export const cardExpired = refused('6', 'Expired Card', '54 : Expired card');

/** The issuer's refusal of a merchant-initiated charge that the cardholder's account does not cover. */
export const notEnoughBalance = refused(
  '12',
  'Not enough balance',
  '51 : Insufficient funds/over credit limit',
);

/** The issuer's refusal after the cardholder has revoked the agreement with the merchant. */
export const agreementRevoked = refused('26', 'Revocation Of Auth', 'R1 : Revocation of authorization');

const declines: readonly RefusalDirective[] = [
  {
    case: 'D1',
    values: ['DECLINED'],
    outcome: 'Declined: refused by the issuer',
    failureCode: 'refused',
    refusal: refused('2', 'Refused', 'DECLINED'),
  },
  {
    case: 'D2',
    values: ['CCREJECT-REFUSED'],
    outcome: 'Declined: the issuer answers do not honor',
    failureCode: 'do_not_honor',
    refusal: refused('2', 'Refused', '05 : Do not honor'),
  },
  {
    case: 'D3',
    values: ['CCREJECT-EC', 'CARD_EXPIRED'],
    outcome: 'Declined: the issuer says the card is expired',
    failureCode: 'expired_card',
    refusal: cardExpired,
  },
  {
    case: 'D4',
    values: ['CCREJECT-IF', 'NOT_ENOUGH_BALANCE'],
    outcome: 'Declined: insufficient funds',
    failureCode: 'insufficient_funds',
    refusal: notEnoughBalance,
  },
  {
    case: 'D5',
    values: ['CCREJECT-CVV_F', 'CVC_DECLINED'],
    outcome: 'Declined: the security code does not match',
    failureCode: 'invalid_cvv',
    refusal: { ...refused('24', 'CVC Declined', 'N7 : Decline for CVV2 failure'), cvcMatches: false },
  },
  {
    case: 'D6',
    values: ['CCREJECT-IA', 'INVALID_CARD_NUMBER'],
    outcome: 'Declined: the issuer does not know the card number',
    failureCode: 'invalid_card',
    refusal: refused('8', 'Invalid Card Number', '14 : Invalid card number'),
  },
  {
    case: 'D7',
    values: ['CCREJECT-IRC', 'RESTRICTED_CARD'],
    outcome: 'Declined: the card is restricted',
    failureCode: 'restricted_card',
    refusal: refused('25', 'Restricted Card', '62 : Restricted card'),
  },
  {
    case: 'D8',
    values: ['CCREJECT-BANK_ERROR', 'DECLINED_NON_GENERIC'],
    outcome: 'Declined by the bank without a usable reason',
    failureCode: 'declined',
    refusal: refused('27', 'Declined Non Generic', 'Declined non generic'),
  },
  {
    case: 'D9',
    values: ['CCREJECT-LS', 'SIM-LOST'],
    outcome: 'Declined: the card is reported lost',
    failureCode: 'lost_card',
    refusal: refused('5', 'Blocked Card', '41 : Lost card'),
  },
  {
    case: 'D10',
    values: ['SIM-STOLEN'],
    outcome: 'Declined: the card is reported stolen',
    failureCode: 'stolen_card',
    refusal: refused('5', 'Blocked Card', '43 : Stolen card'),
  },
  {
    case: 'D11',
    values: ['SIM-PICKUP'],
    outcome: 'Declined: the issuer wants the card picked up',
    failureCode: 'pickup_card',
    refusal: refused('5', 'Blocked Card', '04 : Pick up card'),
  },
  {
    case: 'D12',
    values: ['CCREJECT-SF', 'FRAUD'],
    outcome: 'Declined: suspected fraud',
    failureCode: 'refused',
    refusal: refused('20', 'FRAUD', '59 : Suspected fraud'),
  },
];

/**
 * Adyen's other result triggers: name, refusal code, refusal reason, the network's text, Till's failure code.
 */
const resultTriggers: readonly (readonly [string, string, string, string, failureCode?: string])[] = [
  ['REFERRAL', '3', 'Referral', '01 : Refer to card issuer', 'refused'],
  ['BLOCK_CARD', '5', 'Blocked Card', 'Blocked card', 'restricted_card'],
  ['INVALID_AMOUNT', '7', 'Invalid Amount', '13 : Invalid amount', 'declined'],
  ['ISSUER_UNAVAILABLE', '9', 'Issuer Unavailable', '91 : Issuer or switch inoperative', 'declined'],
  ['NOT_SUPPORTED', '10', 'Not supported', '57 : Transaction not permitted to cardholder', 'restricted_card'],
  ['NOT_3D_AUTHENTICATED', '11', '3D Not Authenticated', '3D Not Authenticated', '3ds_failed'],
  ['ACQUIRER_FRAUD', '14', 'Acquirer Fraud', '59 : Suspected fraud', 'refused'],
  ['CANCELLED', '15', 'Cancelled', 'Cancelled', 'refused'],
  ['SHOPPER_CANCELLED', '16', 'Shopper Cancelled', 'Shopper cancelled', '3ds_abandoned'],
  ['INVALID_PIN', '17', 'Invalid Pin', '55 : Incorrect PIN', 'declined'],
  ['PIN_TRIES_EXCEEDED', '18', 'Pin tries exceeded', '75 : PIN tries exceeded', 'declined'],
  ['PIN_VALIDATION_NOT_POSSIBLE', '19', 'Pin validation not possible', 'PIN not validated', 'declined'],
  ['NOT_SUBMITTED', '21', 'Not Submitted', 'Not submitted', 'declined'],
  ['TRANSACTION_NOT_PERMITTED', '23', 'Transaction Not Permitted', '57 : Not permitted', 'restricted_card'],
  ['REVOCATION_OF_AUTH', '26', 'Revocation Of Auth', 'R1 : Revocation of authorization', 'refused'],
  ['WITHDRAWAL_AMOUNT_EXCEEDED', '28', 'Withdrawal amount exceeded', '61 : Over limit', 'insufficient_funds'],
  // The network's text has no code, since 65 also means "authentication required" on Mastercard.
  ['WITHDRAWAL_COUNT_EXCEEDED', '29', 'Withdrawal count exceeded', 'Withdrawal count exceeded', 'declined'],
  ['ISSUER_SUSPECTED_FRAUD', '31', 'Issuer Suspected Fraud', '59 : Suspected fraud', 'refused'],
  ['AVS_DECLINED', '32', 'AVS Declined', 'AVS declined', 'refused'],
  ['PIN_REQUIRED', '33', 'Card requires online pin', 'PIN required', 'declined'],
  [
    'NO_CHECKING_ACCOUNT',
    '34',
    'No checking account available on Card',
    '52 : No checking account',
    'declined',
  ],
  ['NO_SAVINGS_ACCOUNT', '35', 'No savings account available on Card', '53 : No savings account', 'declined'],
  ['MOBILE_PIN_REQUIRED', '36', 'Mobile pin required', 'Mobile PIN required', 'declined'],
  ['CONTACTLESS_FALLBACK', '37', 'Contactless fallback', 'Contactless fallback', 'declined'],
  // Has no failure code, since Till's server may respond to this refusal by retrying with authentication.
  ['AUTHENTICATION_REQUIRED', '38', 'Authentication required', '1A : Authentication required'],
  ['RREQ_NOT_RECEIVED', '39', 'RReq not received from DS', 'RReq not received from DS', '3ds_abandoned'],
  ['BAN_CURRENT_AID', '40', 'Current AID is in Penalty Box.', 'AID in penalty box', 'declined'],
  ['CVM_REQUIRED', '41', 'CVM Required Restart Payment', 'CVM required', 'declined'],
  ['THREED_SECURE_ERROR', '42', '3DS Authentication Error', '3DS Authentication Error', '3ds_not_available'],
  ['ONLINE_PIN_REQUIRED', '43', 'Online PIN required', 'Online PIN required', 'declined'],
  ['TRY_ANOTHER_INTERFACE', '44', 'Try another interface', 'Try another interface', 'declined'],
  ['CHIP_DOWNGRADE_MODE', '45', 'Chip downgrade mode', 'Chip downgrade mode', 'declined'],
  ['ERPS_BLOCK', '46', 'Transaction blocked by Adyen to prevent excessive retry fees', 'Blocked', 'refused'],
];

const otherResults: readonly RefusalDirective[] = [
  {
    case: 'N0',
    values: ['UNKNOWN'],
    outcome: 'Declined: the processor answers an unknown error',
    failureCode: 'declined',
    refusal: { ...refused('0', 'Unknown', 'Unknown'), resultCode: 'Error' },
  },
  {
    case: 'N4',
    values: ['ERROR'],
    outcome: 'Declined: error at the acquirer',
    failureCode: 'declined',
    refusal: { ...refused('4', 'Acquirer Error', '96 : System malfunction'), resultCode: 'Error' },
  },
  {
    case: 'N22',
    values: ['FRAUD_CANCELLED'],
    outcome: 'Declined: cancelled by the risk engine',
    failureCode: 'refused',
    refusal: { ...refused('22', 'FRAUD-CANCELLED', 'FRAUD-CANCELLED'), resultCode: 'Cancelled' },
  },
];

/**
 * All directives that make the issuer refuse a payment. The documentation and the simulator read this table.
 */
export const refusalDirectives: readonly RefusalDirective[] = [
  ...declines,
  ...otherResults,
  ...resultTriggers.map(([name, code, reason, raw, failureCode]) => ({
    case: `N${code}`,
    values: [name],
    outcome: `Declined: ${reason.replace(/\.$/, '')} (refusal ${code} of processor_a)`,
    ...(failureCode === undefined ? {} : { failureCode }),
    refusal: refused(code, reason, raw),
  })),
];

const byValue = new Map(refusalDirectives.flatMap((row) => row.values.map((value) => [value, row.refusal])));

/** Returns the refusal that a directive stands for, or undefined if the directive means something else. */
export function findRefusal(directive: string): Refusal | undefined {
  return byValue.get(directive);
}

/** The refusal of any real or invented number: the sandbox charges published test cards only. */
export const unpublishedCard = refused('8', 'Invalid Card Number', '14 : Not a published test card');
