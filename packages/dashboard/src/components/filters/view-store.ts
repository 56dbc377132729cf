import { useState } from 'react';
import { type Body, useCall, useChange } from '../../api/calls.ts';
import { recall, remember } from '../../lib/browser/storage.ts';

/** A named set of filters. `query` is the query string of the page's URL. */
export interface View {
  readonly name: string;
  readonly query: string;
}

/** Stores the saved views of a list. */
export interface ViewStore {
  readonly views: readonly View[];
  /** Saves a view and replaces an existing one with the same name. */
  readonly save: (view: View, done: () => void) => void;
  readonly remove: (name: string) => void;
  /** Why the last change failed. */
  readonly error: Error | null;
  /** Says where the views are stored. */
  readonly hint: string;
}

/** Views that are stored in this browser. */
export function useBrowserViews(list: string): ViewStore {
  const place = `views.${list}`;
  const [views, setViews] = useState<readonly View[]>(() => recall(place, []));
  const store = (next: readonly View[]) => {
    setViews(next);
    remember(place, next);
  };
  return {
    views,
    save(view, done) {
      store([...views.filter(({ name }) => name !== view.name), view]);
      done();
    },
    remove: (name) => store(views.filter((view) => view.name !== name)),
    error: null,
    hint: 'Kept in this browser. To share the view, send the address of the page.',
  };
}

export type AccountList = Body<'saveView'>['list'];

/** Views that the server stores for the person in this workspace. */
export function useAccountViews(list: AccountList): ViewStore {
  const views = useCall('listSavedViews', { query: { list } });
  const save = useChange('saveView', ['listSavedViews']);
  const remove = useChange('removeView', ['listSavedViews']);
  return {
    views: views.data?.data ?? [],
    save: (view, done) => save.mutate({ body: { list, ...view } }, { onSuccess: done }),
    remove: (name) => remove.mutate({ params: { list, name } }),
    error: save.error ?? remove.error,
    hint: 'Kept for you in this workspace. To share the view, send the address of the page.',
  };
}
