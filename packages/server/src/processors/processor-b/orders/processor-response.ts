import type { AvsVerdict, FailureCode } from '@till/contract';
import { type JsonObject, jsonText } from '../../wire/json.ts';

/**
 * Every published `response_code` of the issuer or the upstream, by its meaning (PayPal REST Payments v2,
 * processor_response).
 */
const responseCodes: Readonly<Partial<Record<FailureCode | 'approved', string>>> = {
  // 7600: approved but not captured, as the capture's own status shows.
  approved: '0000 7600',
  do_not_honor: '0500',
  insufficient_funds: '5120',
  expired_card: '5400 1380 PPEX PPEF',
  invalid_cvv: '00N7 5110 1382 PCVV PPC2',
  // 5140: closed, 5950: re-issued
  invalid_card: '0390 1330 1335 5140 5900 5950 6300 7800 PP06 PPFI',
  restricted_card: '5180 1352 5700 5930 PPFR PPAB PPCT PPAE PPMC PPDI',
  // Lost or stolen: the upstream has one code for both.
  lost_card: '9520',
  pickup_card: '5150',
  // 5650: authentication required
  refused: `0100 0580 10BR 5160 5170 5190 5650 5710 9500 9510 9530 9540 PPSE PPSC PPDT PPEL PPNL PPRN PPAV PPAD`,
  '3ds_failed': '7710 PPD3',
  '3ds_not_available': '7700',
  // 1000: partial authorization, which we never request
  declined: `1000 5100 0800 0880 0890 0960 0R00 1300 1310 1312 1317 1320 1340 1350 1360 1370 1384 1390 1393 5130 5135
    5200 5210 5500 5800 5910 5920 7900 8000 8010 8020 8030 8100 8110 8220 9100 9600 PCNR PPAG PPAI PPAR PPAU PPAX PPBG
    PPCE PPCO PPCR PPCU PPDC PPDV PPER PPFE PPFV PPGR PPH1 PPIF PPII PPIM PPIT PPLR PPLS PPMB PPMD PPNC PPNM PPNT PPPH
    PPPI PPPM PPQC PPRE PPRF PPRR PPS0 PPS1 PPS2 PPS3 PPS4 PPS5 PPS6 PPSD PPTE PPTF PPTI PPTR PPTT PPTV PPUA PPUC PPUE
    PPUI PPUP PPUR PPVC PPVE PPVT`,
};

/** Maps every published code to its meaning. */
export const responseMeanings: ReadonlyMap<string, string> = new Map(
  Object.entries(responseCodes).flatMap(([meaning, codes]) =>
    codes.split(/\s+/).map((code): [string, string] => [code, meaning]),
  ),
);

/** Why the issuer declined; null if the response has no code, or one that means approval. */
export function processorFailure(response: JsonObject): FailureCode | null {
  const code = jsonText(response, 'response_code');
  if (code === null) return null;
  // 9520 means lost or stolen, which the upstream does not distinguish. The sandbox does, in a member of its own.
  if (code === '9520' && jsonText(response, 'simulator_reason') === 'stolen_card') return 'stolen_card';
  const meaning = responseMeanings.get(code) ?? 'declined';
  return meaning === 'approved' ? null : (meaning as FailureCode);
}

/**
 * Whether the issuer forbids further merchant-initiated charges. 03: the account is closed or all recurring payments are
 * stopped; 21: the cardholder stopped them (PayPal REST Payments v2, payment_advice_code).
 */
export const endsRecurring = (response: JsonObject): boolean =>
  ['03', '21'].includes(jsonText(response, 'payment_advice_code') ?? '');

type Match = AvsVerdict['address'];
type AvsRow = readonly [address: Match, postalCode: Match];

const bothMatch: AvsRow = ['match', 'match'];
const noneMatch: AvsRow = ['no_match', 'no_match'];
const notChecked: AvsRow = ['not_checked', 'not_checked'];

/** `avs_code` for all brands; the digits are Maestro's (PayPal REST docs, "AVS and CVV response codes"). */
const avsCodes: ReadonlyMap<string, AvsRow> = new Map(
  Object.entries<AvsRow>({
    A: ['match', 'no_match'],
    B: ['match', 'not_checked'],
    C: noneMatch,
    D: bothMatch,
    F: bothMatch,
    M: bothMatch,
    N: noneMatch,
    P: ['not_checked', 'match'],
    W: ['no_match', 'match'],
    X: bothMatch,
    Y: bothMatch,
    Z: ['no_match', 'match'],
    0: bothMatch,
    1: noneMatch,
  }),
);

/** Letters with a different meaning for American Express. */
const amexAvsCodes: ReadonlyMap<string, AvsRow> = new Map(
  Object.entries<AvsRow>({
    E: bothMatch, // but not the name
    F: ['match', 'not_checked'], // but not the name
    W: noneMatch,
    X: noneMatch,
  }),
);

const cvcMatches: ReadonlySet<string> = new Set(['M', '0']);
const cvcDiffers: ReadonlySet<string> = new Set(['N', '1']);

/** The issuer's result for address and security code; null if the issuer did not check the address at all. */
export function avsVerdict(response: JsonObject, brand: string | null): AvsVerdict | null {
  const code = jsonText(response, 'avs_code');
  if (code === null) return null;
  const amexRow = brand === 'amex' ? amexAvsCodes.get(code) : undefined;
  const [address, postalCode] = amexRow ?? avsCodes.get(code) ?? notChecked;
  const cvv = jsonText(response, 'cvv_code') ?? '';
  const cvc = cvcMatches.has(cvv) ? 'match' : cvcDiffers.has(cvv) ? 'no_match' : 'not_checked';
  return { code, address, postal_code: postalCode, cvc };
}
