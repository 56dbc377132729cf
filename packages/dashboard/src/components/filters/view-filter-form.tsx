import type { ReactNode } from 'react';
import type { UrlQuery } from '../../navigation/navigation.tsx';
import type { ViewFilter } from './view-filter.ts';
import { AmountForm, ChoicesForm, CurrencyForm, PeriodForm, WordForm } from './view-filter-forms.tsx';

/** The form in the popover of a filter. */
export function ChipForm({
  filter,
  url,
  onSet,
}: {
  readonly filter: ViewFilter;
  readonly url: UrlQuery;
  readonly onSet: (change: Readonly<Record<string, string | undefined>>) => void;
}): ReactNode {
  switch (filter.kind) {
    case 'choices':
      return (
        <ChoicesForm
          {...filter}
          value={url.get(filter.key)}
          onSet={(value) => onSet({ [filter.key]: value })}
        />
      );
    case 'word':
      return (
        <WordForm {...filter} value={url.get(filter.key)} onSet={(value) => onSet({ [filter.key]: value })} />
      );
    case 'currency':
      return <CurrencyForm value={url.get('currency')} onSet={(currency) => onSet({ currency })} />;
    case 'amount':
      return <AmountForm values={url.all} onSet={onSet} />;
    case 'period':
      return <PeriodForm values={url.all} onSet={onSet} />;
  }
}
