import { type FormEvent, useState } from 'react';
import { useUrlQuery } from '../../navigation/navigation.tsx';
import { Button } from '../buttons/button.tsx';
import { Field } from '../forms/field.tsx';
import { type Choice, DateInput, Select, TextInput } from '../forms/inputs.tsx';
import { PopoverActions } from '../overlays/popover.tsx';
import { ClearFilters, FilterChip } from './filter-chip.tsx';
import { AccountViews, BrowserViews } from './saved-views.tsx';
import type { AccountList } from './view-store.ts';

/** One filter. `key` is its parameter in the URL, and usually in the operation's query. */
export interface Filter {
  readonly key: string;
  readonly label: string;
  readonly kind: 'choice' | 'text' | 'date';
  readonly choices?: readonly Choice[];
  readonly hint?: string;
}

/** The filters that are set, as an object of key and value; used for queries and for "Clear filters". */
export function useFilters(filters: readonly Filter[]) {
  const url = useUrlQuery();
  const values = Object.fromEntries(
    filters.flatMap(({ key }) => (url.get(key) === '' ? [] : [[key, url.get(key)]])),
  ) as Readonly<Record<string, string>>;
  return {
    values,
    any: Object.keys(values).length > 0,
    clear: () =>
      url.set({ page: undefined, ...Object.fromEntries(filters.map(({ key }) => [key, undefined])) }),
  };
}

/** The filters that are set, in words: the label of each filter with its value. */
export const useFilterWords = (filters: readonly Filter[]): readonly (readonly [string, string])[] => {
  const { values } = useFilters(filters);
  return filters.flatMap((filter) => {
    const value = values[filter.key];
    return value === undefined ? [] : [[filter.label, wordsOf(filter, value)] as const];
  });
};

/**
 * The filters of a list as chips. Their values live in the URL, and a set of them can be saved under a name. `name`
 * identifies the list whose saved views this browser keeps; `views` names a list whose views the server keeps instead.
 */
export function FilterBar({
  name,
  views,
  filters,
}: {
  readonly name: string;
  readonly views?: AccountList;
  readonly filters: readonly Filter[];
}) {
  const { any, clear } = useFilters(filters);
  const keys = filters.map(({ key }) => key);
  return (
    <search aria-label="Filters" className="contents">
      {filters.map((filter) => (
        <Chip key={filter.key} filter={filter} />
      ))}
      {any && <ClearFilters onClear={clear} />}
      {views === undefined ? (
        <BrowserViews list={name} keys={keys} />
      ) : (
        <AccountViews list={views} keys={keys} />
      )}
    </search>
  );
}

const wordsOf = (filter: Filter, value: string) =>
  filter.choices?.find((choice) => choice.value === value)?.label ?? value;

function Chip({ filter }: { readonly filter: Filter }) {
  const url = useUrlQuery();
  const [open, setOpen] = useState(false);
  const value = url.get(filter.key);
  const set = (next: string) => {
    url.set({ [filter.key]: next.trim(), page: undefined });
    setOpen(false);
  };
  return (
    <FilterChip
      label={filter.label}
      words={value === '' ? '' : wordsOf(filter, value)}
      open={open}
      onOpenChange={setOpen}
      onRemove={() => set('')}
    >
      <FilterForm key={value} filter={filter} value={value} onSet={set} />
    </FilterChip>
  );
}

function FilterForm({
  filter,
  value,
  onSet,
}: {
  readonly filter: Filter;
  readonly value: string;
  readonly onSet: (value: string) => void;
}) {
  const [text, setText] = useState(value);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onSet(text);
  };
  const change = (event: { readonly target: { readonly value: string } }) => setText(event.target.value);
  return (
    <form onSubmit={submit} className="flex flex-col gap-3">
      <Field label={filter.label} hint={filter.hint}>
        {filter.kind === 'choice' ? (
          <Select value={text} onChange={change} empty="Any" choices={filter.choices ?? []} />
        ) : filter.kind === 'date' ? (
          <DateInput value={text} onChange={change} />
        ) : (
          <TextInput value={text} onChange={change} autoComplete="off" spellCheck={false} />
        )}
      </Field>
      <PopoverActions>
        <Button type="submit" variant="primary" size="sm">
          Apply
        </Button>
      </PopoverActions>
    </form>
  );
}
