import { methodTypes } from '@till/contract/processors';
import type { Query } from '../../api/calls.ts';
import type { ViewFilter } from '../../components/filters/view-filter.ts';
import { brandNames, methodName } from '../../components/values/paid-with.tsx';
import { rangeOf } from '../../lib/amounts/period.ts';
import { failureCodes } from '../../lib/wording/failure-texts.ts';
import { statuses } from '../../lib/wording/status.ts';

const choices = (pairs: readonly (readonly [value: string, label: string])[]) =>
  pairs.map(([value, label]) => ({ value, label }));

/** The filters of the list of payments. */
export const paymentFilters: readonly ViewFilter[] = [
  {
    kind: 'choices',
    key: 'status',
    label: 'Status',
    choices: choices(Object.entries(statuses.payment).map(([status, { word }]) => [status, word])),
  },
  { kind: 'period', label: 'Date' },
  { kind: 'amount', label: 'Amount' },
  {
    kind: 'choices',
    key: 'method',
    label: 'Method',
    choices: choices(methodTypes.map((type) => [type, methodName(type)])),
  },
  { kind: 'choices', key: 'brand', label: 'Brand', choices: choices(brandNames) },
  {
    kind: 'choices',
    key: 'capture_method',
    label: 'Capture',
    choices: choices([
      ['automatic', 'At once'],
      ['manual', 'By hand'],
    ]),
  },
  { kind: 'choices', key: 'failure_code', label: 'Failure', choices: choices(failureCodes) },
  { kind: 'word', key: 'customer', label: 'Customer', hint: 'The id of a customer, as in cus_…' },
  { kind: 'word', key: 'payment_link', label: 'Payment link', hint: 'The id of a link, as in pl_…' },
];

type Filters = Omit<NonNullable<Query<'listPayments'>>, 'page' | 'per_page' | 'sort'>;

const texts = ['status', 'method', 'brand', 'failure_code', 'currency', 'customer', 'payment_link'] as const;
const amounts = ['amount_gte', 'amount_lte'] as const;

/** The query for the operations, from the filters in the URL. @param now the account's time in milliseconds */
export function paymentQuery(url: Readonly<Record<string, string>>, now: number): Filters {
  const given = (key: string) => url[key] ?? '';
  const captured = given('capture_method');
  return {
    ...(given('search') === '' ? {} : { q: given('search') }),
    ...Object.fromEntries(texts.flatMap((key) => (given(key) === '' ? [] : [[key, given(key)]]))),
    ...Object.fromEntries(
      amounts.flatMap((key) => (/^\d+$/.test(given(key)) ? [[key, Number(given(key))]] : [])),
    ),
    // Choosing both values filters nothing.
    ...(captured === 'automatic' || captured === 'manual' ? { capture_method: captured } : {}),
    ...rangeOf(
      { period: given('period'), from: given('from'), to: given('to'), before: given('before') },
      now,
    ),
  };
}
