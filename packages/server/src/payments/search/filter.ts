import { invalidParam } from '@till/contract';
import type { PaymentsExportQuery } from '@till/contract/dashboard';
import { readSearch, type SearchWords } from '../../customers/search-words.ts';

/** Which payments a view shows. A null part does not filter. */
export interface PaymentFilter {
  readonly search: SearchWords | null;
  readonly statuses: readonly string[] | null;
  readonly methods: readonly string[] | null;
  readonly brands: readonly string[] | null;
  readonly captureMethod: string | null;
  readonly failureCodes: readonly string[] | null;
  readonly currency: string | null;
  /** In minor units. */
  readonly amountFrom: number | null;
  readonly amountTo: number | null;
  readonly created: CreatedRange;
  readonly customer: string | null;
  readonly link: string | null;
  readonly sort: PaymentSort;
}

export type PaymentSort = NonNullable<PaymentsExportQuery['sort']>;

/** In account time; `to` is not included. */
export interface CreatedRange {
  readonly from: Date | null;
  readonly to: Date | null;
}

const words = (text: string | undefined): readonly string[] | null =>
  text === undefined ? null : [...new Set(text.split(','))];

/** @throws ApiError `invalid_params` for a time that does not exist */
export function readMoment(param: string, text: string | undefined): Date | null {
  if (text === undefined) return null;
  const moment = new Date(text);
  if (Number.isNaN(moment.getTime())) throw invalidParam(param, `${param} must be a time that exists.`);
  return moment;
}

/** @throws ApiError `invalid_params` for amounts without a currency and for times that do not exist */
export function readFilter(query: PaymentsExportQuery): PaymentFilter {
  const { amount_gte: amountFrom, amount_lte: amountTo, currency, sort = '-created' } = query;
  const comparesAmounts = amountFrom !== undefined || amountTo !== undefined || sort.endsWith('amount');
  if (comparesAmounts && currency === undefined) {
    throw invalidParam('currency', 'Choose a currency: amounts of several currencies are not compared.');
  }
  return {
    search: readSearch(query.q ?? ''),
    statuses: words(query.status),
    methods: words(query.method),
    brands: words(query.brand),
    captureMethod: query.capture_method ?? null,
    failureCodes: words(query.failure_code),
    currency: currency ?? null,
    amountFrom: amountFrom ?? null,
    amountTo: amountTo ?? null,
    created: {
      from: readMoment('created_gte', query.created_gte),
      to: readMoment('created_lt', query.created_lt),
    },
    customer: query.customer ?? null,
    link: query.payment_link ?? null,
    sort,
  };
}

const isSet = (part: unknown) => part !== null;

/** Whether the filter leaves nothing out and the newest come first: then the list's own count is the total. */
export function isEverything({ sort, created, ...parts }: PaymentFilter): boolean {
  return sort === '-created' && ![...Object.values(parts), created.from, created.to].some(isSet);
}

/**
 * Whether an index finds exactly the matching payments, in their order. If not, rows have to be scanned one by one, and of a
 * long list only the newest part is scanned.
 */
export function isIndexed(filter: PaymentFilter): boolean {
  const { search, customer, link, statuses, failureCodes, sort } = filter;
  if (search !== null || customer !== null || link !== null) return true;
  const byIndex = [statuses, failureCodes].filter(isSet);
  const alone = byIndex.length <= 1 && byIndex.every((part) => part?.length === 1);
  const { methods, brands, captureMethod, currency } = filter;
  return alone && ![methods, brands, captureMethod, currency].some(isSet) && !sort.endsWith('amount');
}
