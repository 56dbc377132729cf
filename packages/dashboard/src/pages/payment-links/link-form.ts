import { currencyCodes } from '@till/contract/currencies';
import type { Body } from '../../api/calls.ts';
import { fromDecimal, toDecimal } from '../../lib/amounts/money.ts';
import { isoOfDay } from '../../lib/amounts/time.ts';

/** The values of the form for a new link, as typed. */
export interface LinkForm {
  readonly title: string;
  readonly description: string;
  readonly currency: string;
  readonly pricing: string;
  readonly amount: string;
  readonly min: string;
  readonly max: string;
  readonly suggested: string;
  readonly usage: string;
  readonly times: string;
  readonly lastDay: string;
  readonly reference: string;
  readonly saves: boolean;
  readonly successUrl: string;
  readonly failureUrl: string;
}

export const emptyLink = (currency: string): LinkForm => ({
  title: '',
  description: '',
  currency,
  pricing: 'fixed',
  amount: '',
  min: '',
  max: '',
  suggested: '',
  usage: 'many',
  times: '',
  lastDay: '',
  reference: '',
  saves: false,
  successUrl: '',
  failureUrl: '',
});

export type LinkFaults = Readonly<Partial<Record<keyof LinkForm, string>>>;

const amountFault = (text: string, currency: string): string | undefined => {
  const amount = fromDecimal(text, currency);
  if (text.trim() === '') return 'Enter an amount.';
  if (amount !== undefined && amount >= 1) return undefined;
  return `Enter an amount in ${currency}, such as ${toDecimal(4990, currency)}.`;
};

/** How often a link can be paid, as typed; null for any number of times, undefined if the text is not a number. */
export function timesOf({ usage, times }: Pick<LinkForm, 'usage' | 'times'>): number | null | undefined {
  if (usage === 'many') return null;
  if (usage === 'once') return 1;
  return /^[1-9]\d{0,5}$/.test(times.trim()) ? Number(times.trim()) : undefined;
}

function rangeFaults({ currency, min, max, suggested }: LinkForm): LinkFaults {
  const [from, to, first] = [min, max, suggested].map((text) => fromDecimal(text, currency));
  const least = amountFault(min, currency);
  const most =
    amountFault(max, currency) ??
    (from !== undefined && to !== undefined && to < from ? 'It must not be below the least.' : undefined);
  const isOutside =
    suggested.trim() !== '' &&
    (first === undefined || (from !== undefined && first < from) || (to !== undefined && first > to));
  return {
    ...(least === undefined ? {} : { min: least }),
    ...(most === undefined ? {} : { max: most }),
    ...(isOutside ? { suggested: 'It must lie between the least and the most.' } : {}),
  };
}

/** The validation errors of a new link, by field. */
export function linkFaults(form: LinkForm): LinkFaults {
  const isCurrency = currencyCodes.includes(form.currency);
  const fixed = form.pricing === 'fixed' ? amountFault(form.amount, form.currency) : undefined;
  return {
    ...(form.title.trim() === '' ? { title: 'Enter what is paid for.' } : {}),
    ...(isCurrency ? {} : { currency: 'Enter a currency, such as EUR.' }),
    ...(isCurrency && fixed !== undefined ? { amount: fixed } : {}),
    ...(isCurrency && form.pricing === 'open' ? rangeFaults(form) : {}),
    ...(timesOf(form) === undefined ? { times: 'Enter a whole number from 1 on.' } : {}),
  };
}

const text = (value: string) => (value.trim() === '' ? undefined : value.trim());

/** The request body of the form. */
export function linkBody(form: LinkForm): Body<'createPaymentLink'> {
  const { currency } = form;
  const money = (typed: string) => fromDecimal(typed, currency) ?? 0;
  const times = timesOf(form);
  const suggested = text(form.suggested);
  const [description, reference] = [text(form.description), text(form.reference)];
  const [successUrl, failureUrl] = [text(form.successUrl), text(form.failureUrl)];
  return {
    title: form.title.trim(),
    currency,
    ...(form.pricing === 'fixed'
      ? { amount: money(form.amount) }
      : {
          amount_range: {
            min: money(form.min),
            max: money(form.max),
            ...(suggested === undefined ? {} : { suggested: money(suggested) }),
          },
        }),
    ...(times == null ? {} : { max_payments: times }),
    ...(form.lastDay === '' ? {} : { expires_at: isoOfDay(form.lastDay, 1) }),
    ...(description === undefined ? {} : { description }),
    ...(reference === undefined ? {} : { reference_label: reference }),
    ...(form.saves ? { save_payment_method: true } : {}),
    ...(successUrl === undefined ? {} : { success_url: successUrl }),
    ...(failureUrl === undefined ? {} : { failure_url: failureUrl }),
  };
}
