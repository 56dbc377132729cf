import { Bookmark, Trash2 } from 'lucide-react';
import { type FormEvent, useState } from 'react';
import { useUrlQuery } from '../../navigation/navigation.tsx';
import { Button, IconButton } from '../buttons/button.tsx';
import { ErrorNote } from '../feedback/error-state.tsx';
import { toast } from '../feedback/toasts.tsx';
import { Field } from '../forms/field.tsx';
import { TextInput } from '../forms/inputs.tsx';
import { Dialog, DialogActions } from '../overlays/dialog.tsx';
import { Menu, MenuItem, MenuLabel, MenuLine } from '../overlays/menu.tsx';
import { useOpening } from '../overlays/requests/opening.ts';
import {
  type AccountList,
  useAccountViews,
  useBrowserViews,
  type View,
  type ViewStore,
} from './view-store.ts';

interface Props {
  /** The URL parameters that a view stores in addition to the sort order. */
  readonly keys: readonly string[];
}

/** The saved views of a list, kept in this browser. */
export const BrowserViews = ({ list, keys }: Props & { readonly list: string }) => (
  <SavedViews store={useBrowserViews(list)} keys={keys} />
);

/** The saved views of a list, kept on the server. */
export const AccountViews = ({ list, keys }: Props & { readonly list: AccountList }) => (
  <SavedViews store={useAccountViews(list)} keys={keys} />
);

/** Saved sets of filters. Choosing one writes it to the URL, which can be sent to others. */
function SavedViews({ store, keys }: Props & { readonly store: ViewStore }) {
  const url = useUrlQuery();
  const [dialog, setDialog] = useState<'save' | 'manage'>();
  const kept = [...keys, 'sort'];
  const close = () => setDialog(undefined);
  const opening = useOpening(dialog === 'save');
  const open = ({ query }: View) => {
    const saved = new URLSearchParams(query);
    url.set({
      page: undefined,
      ...Object.fromEntries(kept.map((key) => [key, saved.get(key) ?? undefined])),
    });
  };
  const save = (name: string) => {
    const isStillOpen = opening.mark();
    const present = kept.flatMap((key) => (url.get(key) === '' ? [] : [[key, url.get(key)]]));
    store.save({ name, query: new URLSearchParams(present).toString() }, () => {
      if (isStillOpen()) close();
      toast(`View “${name}” saved`);
    });
  };
  return (
    <>
      <Menu
        align="start"
        button={
          <Button variant="quiet" size="sm" icon={Bookmark}>
            Views
          </Button>
        }
      >
        <MenuLabel>{store.views.length === 0 ? 'No saved views yet' : 'Saved views'}</MenuLabel>
        {store.views.map((view) => (
          <MenuItem key={view.name} onSelect={() => open(view)}>
            {view.name}
          </MenuItem>
        ))}
        <MenuLine />
        <MenuItem onSelect={() => setDialog('save')}>Save these filters…</MenuItem>
        {store.views.length > 0 && <MenuItem onSelect={() => setDialog('manage')}>Remove views…</MenuItem>}
      </Menu>
      <Dialog open={dialog === 'save'} onClose={close} title="Save view">
        <SaveForm store={store} onSave={save} onCancel={close} />
      </Dialog>
      <Dialog open={dialog === 'manage'} onClose={close} title="Saved views">
        <ViewList store={store} />
      </Dialog>
    </>
  );
}

function ViewList({ store }: { readonly store: ViewStore }) {
  if (store.views.length === 0) return <p className="text-text-2">No saved views are left.</p>;
  return (
    <>
      <ul className="divide-y divide-line">
        {store.views.map(({ name }) => (
          <li key={name} className="flex items-center justify-between gap-3 py-1.5">
            <span dir="auto" className="min-w-0 truncate">
              {name}
            </span>
            <IconButton label={`Remove ${name}`} icon={Trash2} size="sm" onClick={() => store.remove(name)} />
          </li>
        ))}
      </ul>
      <ErrorNote error={store.error} className="mt-4" />
    </>
  );
}

function SaveForm({
  store,
  onSave,
  onCancel,
}: {
  readonly store: ViewStore;
  readonly onSave: (name: string) => void;
  readonly onCancel: () => void;
}) {
  const [name, setName] = useState('');
  const [tried, setTried] = useState(false);
  const empty = name.trim() === '';
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setTried(true);
    if (!empty) onSave(name.trim());
  };
  return (
    <form onSubmit={submit} noValidate>
      <Field label="Name" hint={store.hint} error={tried && empty ? 'Enter a name.' : undefined} required>
        <TextInput value={name} onChange={(event) => setName(event.target.value)} maxLength={60} />
      </Field>
      <ErrorNote error={store.error} className="mt-4" />
      <DialogActions>
        <Button onClick={onCancel}>Cancel</Button>
        <Button type="submit" variant="primary">
          Save view
        </Button>
      </DialogActions>
    </form>
  );
}
