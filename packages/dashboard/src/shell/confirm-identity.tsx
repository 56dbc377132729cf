import { useSyncExternalStore } from 'react';
import { createStore } from '../lib/browser/store.ts';
import { lazyPart } from '../navigation/lazy-part.tsx';

const ConfirmIdentityDialog = lazyPart(
  () => import('./confirm-identity-dialog.tsx'),
  'ConfirmIdentityDialog',
);

type Answered = (confirmed: boolean) => void;
const waiting = createStore<readonly Answered[]>([]);

/**
 * Asks the person for their password. Requests that wait for it at the same time share one dialog.
 * @returns whether the person gave it
 */
export const askToConfirm = (): Promise<boolean> =>
  new Promise((resolve) => waiting.set([...waiting.get(), resolve]));

function settle(confirmed: boolean): void {
  const all = waiting.get();
  waiting.set([]);
  for (const answered of all) answered(confirmed);
}

/** The dialog for the password. It is rendered once and opens when the server asks for confirmation. */
export function ConfirmIdentity() {
  const open = useSyncExternalStore(waiting.subscribe, waiting.get).length > 0;
  return <ConfirmIdentityDialog open={open} onSettled={settle} />;
}
