import { useState } from 'react';
import { language } from '../../lib/amounts/language.ts';
import { formatMoney } from '../../lib/amounts/money.ts';
import { periods } from '../../lib/amounts/period.ts';
import { formatDate, formatTime } from '../../lib/amounts/time.ts';
import { lazyModule } from '../../navigation/lazy-part.tsx';
import { type UrlQuery, useUrlQuery } from '../../navigation/navigation.tsx';
import { ClearFilters, FilterChip } from './filter-chip.tsx';
import { AccountViews } from './saved-views.tsx';
import type { ViewFilter } from './view-filter.ts';
import type { AccountList } from './view-store.ts';

/** The URL parameters that a filter uses. */
export function keysOf(filter: ViewFilter): readonly string[] {
  switch (filter.kind) {
    case 'choices':
    case 'word':
      return [filter.key];
    case 'currency':
      return ['currency'];
    case 'amount':
      return ['amount_gte', 'amount_lte', 'currency'];
    case 'period':
      return ['period', 'from', 'to', 'before'];
  }
}

/** All URL parameters of a view: those of its filters and the search text. */
const viewKeys = (filters: readonly ViewFilter[]) => [...new Set(['search', ...filters.flatMap(keysOf)])];

/** Whether any parameter of a view is set, and a function that clears all of them. */
export function useViewFilters(filters: readonly ViewFilter[]) {
  const url = useUrlQuery();
  const keys = viewKeys(filters);
  return {
    any: keys.some((key) => url.get(key) !== ''),
    clear: () => url.set({ page: undefined, ...Object.fromEntries(keys.map((key) => [key, undefined])) }),
  };
}

/** The filters that are set, in words: the label of each filter with its values. */
export function useFilterWords(filters: readonly ViewFilter[]): readonly (readonly [string, string])[] {
  const url = useUrlQuery();
  const search = url.get('search');
  const set = filters.map((filter) => [filter.label, wordsOf(filter, url)] as const);
  return [
    ...(search === '' ? [] : [['Search', search] as const]),
    ...set.filter(([, words]) => words !== ''),
  ];
}

/** The filters of a list as chips, with the views that the server keeps for the person. */
export function ViewFilters({
  filters,
  views,
}: {
  readonly filters: readonly ViewFilter[];
  /** If absent, views of this list cannot be saved. */
  readonly views?: AccountList;
}) {
  const { any, clear } = useViewFilters(filters);
  return (
    <search aria-label="Filters" className="contents">
      {filters.map((filter) => (
        <Chip key={filter.label} filter={filter} />
      ))}
      {any && <ClearFilters onClear={clear} />}
      {views !== undefined && <AccountViews list={views} keys={viewKeys(filters)} />}
    </search>
  );
}

/** The code of the filter forms, loaded before the first popover opens. */
const forms = lazyModule(() => import('./view-filter-form.tsx'));

function Chip({ filter }: { readonly filter: ViewFilter }) {
  const url = useUrlQuery();
  const [open, setOpen] = useState(false);
  const ChipForm = forms.get()?.ChipForm;
  const words = wordsOf(filter, url);
  const set = (change: Readonly<Record<string, string | undefined>>) => {
    url.set({ ...change, page: undefined });
    setOpen(false);
  };
  const remove = () => set(Object.fromEntries(keysOf(filter).map((key) => [key, undefined])));
  return (
    <FilterChip
      label={filter.label}
      words={words}
      open={open}
      onOpenChange={setOpen}
      load={forms.load}
      onRemove={remove}
    >
      {ChipForm !== undefined && <ChipForm filter={filter} url={url} onSet={set} />}
    </FilterChip>
  );
}

/** The value of a filter in words; '' if it is not set. */
function wordsOf(filter: ViewFilter, url: UrlQuery): string {
  switch (filter.kind) {
    case 'choices': {
      const chosen = url.get(filter.key).split(',').filter(Boolean);
      return chosen
        .map((value) => filter.choices.find((choice) => choice.value === value)?.label ?? value)
        .join(', ');
    }
    case 'word':
      return url.get(filter.key);
    case 'currency':
      return url.get('currency');
    case 'amount':
      return amountWords(url.get('amount_gte'), url.get('amount_lte'), url.get('currency'));
    case 'period':
      return periodWords(url);
  }
}

function amountWords(from: string, to: string, currency: string): string {
  if (!/^[A-Z]{3}$/.test(currency)) return currency;
  const money = (text: string) => formatMoney(Number(text), currency, language());
  if (from !== '' && to !== '') return from === to ? money(from) : `${money(from)} – ${money(to)}`;
  if (from !== '') return `at least ${money(from)}`;
  return to === '' ? currency : `at most ${money(to)}`;
}

function periodWords(url: UrlQuery): string {
  const [from, to, before] = [url.get('from'), url.get('to'), url.get('before')];
  const named = periods.find(([name]) => name === url.get('period'))?.[1] ?? '';
  const days =
    from !== '' && to !== ''
      ? `${formatDate(from)} – ${formatDate(to)}`
      : from !== ''
        ? `since ${formatDate(from)}`
        : to !== ''
          ? `until ${formatDate(to)}`
          : '';
  return [days === '' ? named : days, before === '' ? '' : `before ${formatTime(before)}`]
    .filter(Boolean)
    .join(', ');
}
