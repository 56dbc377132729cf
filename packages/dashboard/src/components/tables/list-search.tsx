import { withoutCardNumber } from '@till/contract/typed-card-number';
import { Search, X } from 'lucide-react';
import { type FormEvent, useState } from 'react';
import { useUrlQuery } from '../../navigation/navigation.tsx';
import { IconButton } from '../buttons/button.tsx';
import { Icon } from '../buttons/icon.tsx';
import { toast } from '../feedback/toasts.tsx';

const cutNote = 'A whole card number is never sent. Its last four digits are looked for.';

/** The search field of a list. Its text is kept in the URL as `search`; `what` says what can be searched for. */
export function ListSearch({ label, what }: { readonly label: string; readonly what: string }) {
  const url = useUrlQuery();
  const known = url.get('search');
  return <SearchForm key={known} label={label} what={what} known={known} />;
}

function SearchForm({
  label,
  what,
  known,
}: {
  readonly label: string;
  readonly what: string;
  readonly known: string;
}) {
  const url = useUrlQuery();
  const [text, setText] = useState(known);
  const search = (words: string) => {
    const sent = withoutCardNumber(words.trim());
    if (sent.cut) toast(cutNote);
    url.set({ search: sent.text, page: undefined });
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    search(text);
  };
  return (
    <search aria-label={label} className="block w-full">
      <form onSubmit={submit} className="relative max-w-xl">
        <span className="pointer-events-none absolute top-2.5 left-2.5 text-text-3">
          <Icon of={Search} />
        </span>
        <input
          type="text"
          inputMode="search"
          enterKeyHint="search"
          aria-label={label}
          placeholder={what}
          autoComplete="off"
          autoCapitalize="off"
          spellCheck={false}
          maxLength={200}
          value={text}
          onChange={({ target }) => setText(target.value)}
          className="control px-8.5 text-ellipsis"
        />
        {known !== '' && (
          <span className="absolute top-1 right-1">
            <IconButton label="Clear search" icon={X} size="sm" onClick={() => search('')} />
          </span>
        )}
      </form>
    </search>
  );
}
