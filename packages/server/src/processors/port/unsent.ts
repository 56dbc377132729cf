import type { OrderData } from './charge.ts';

/** A request field that is not sent to the upstream, with the reason. Contains no value of the merchant's. */
export interface UnsentField {
  /** The field's path, written as in error responses. */
  readonly param: string;
  readonly message: string;
}

/** Which Level 3 fields the request to the upstream contains. */
export interface SentLevelThree {
  readonly dutyAmount: boolean;
  readonly shipsFromPostalCode: boolean;
  /** One entry for each line that is sent, in order. */
  readonly lines: readonly { readonly commodityCode: boolean; readonly unitOfMeasure: boolean }[];
}

/** At most this many fields are reported: more would not help the reader. */
const maxReported = 20;

const has = (text: string | undefined) => text !== undefined && text !== '';

const unsent = (param: string, why: string): UnsentField => ({
  param,
  message: `${param} was not sent to the processor: ${why}.`,
});

/** Explains why no Level 3 data is sent for an order. */
function whyNone({ lineItems }: OrderData): string {
  if (lineItems.length === 0) return 'Level 3 data needs line_items';
  const bare = lineItems.findIndex(
    ({ commodity_code: code, unit_of_measure: unit }) => code === undefined && unit === undefined,
  );
  return bare === -1
    ? 'an amount of the order has no form at the processor'
    : `Level 3 data needs a commodity_code or unit_of_measure on every line item, and line_items[${bare}] has neither`;
}

/**
 * Lists the order's Level 3 fields that are not sent to the upstream. Better rates are worth less than the payment, so the
 * charge proceeds without them.
 * @param sent null: no Level 3 data is sent, for the reason `why` if that is given
 */
export function unsentLevelThree(order: OrderData, sent: SentLevelThree | null, why?: string): UnsentField[] {
  const noForm = 'the processor takes no such value';
  const single: [param: string, given: boolean, isSent: boolean][] = [
    ['duty_amount', (order.dutyAmount ?? 0) > 0, sent?.dutyAmount === true],
    ['ships_from_postal_code', has(order.shipsFromPostalCode), sent?.shipsFromPostalCode === true],
  ];
  const reason = sent === null ? (why ?? whyNone(order)) : noForm;
  const fields = single.flatMap(([param, given, isSent]) =>
    given && !isSent ? [unsent(param, reason)] : [],
  );
  const lines = sent === null ? unsentLines(order, reason) : unsentInLines(order, sent, noForm);
  return [...fields, ...lines].slice(0, maxReported);
}

function unsentLines({ lineItems }: OrderData, reason: string): UnsentField[] {
  const index = lineItems.findIndex(
    ({ commodity_code: code, unit_of_measure: unit }) => has(code) || has(unit),
  );
  if (index === -1) return [];
  const field = has(lineItems[index]?.commodity_code) ? 'commodity_code' : 'unit_of_measure';
  return [unsent(`line_items[${index}].${field}`, reason)];
}

function unsentInLines({ lineItems }: OrderData, { lines }: SentLevelThree, noForm: string): UnsentField[] {
  const fields = lineItems.slice(0, lines.length).flatMap((item, index) => {
    const line = lines[index];
    return [
      ...(has(item.commodity_code) && line?.commodityCode !== true
        ? [unsent(`line_items[${index}].commodity_code`, noForm)]
        : []),
      ...(has(item.unit_of_measure) && line?.unitOfMeasure !== true
        ? [unsent(`line_items[${index}].unit_of_measure`, noForm)]
        : []),
    ];
  });
  return lines.length < lineItems.length
    ? [...fields, unsent(`line_items[${lines.length}]`, `Level 3 data takes ${lines.length} lines`)]
    : fields;
}
