import { Fragment } from 'react';
import { Dialog } from '../components/overlays/dialog.tsx';
import { commandKey, Kbd } from './kbd.tsx';

const shortcuts: readonly (readonly [keys: readonly string[], what: string])[] = [
  [[commandKey(), 'K'], 'Search and go to'],
  [['/'], 'Search and go to'],
  [['?'], 'This list'],
  [['g', 'h'], 'Home'],
  [['g', 'p'], 'Payments'],
  [['g', 'r'], 'Refunds'],
  [['g', 'c'], 'Customers'],
  [['g', 'd'], 'Disputes'],
  [['g', 'k'], 'API keys'],
  [['g', 'w'], 'Webhooks'],
  [['g', 'e'], 'Events'],
  [['g', 'l'], 'Request logs'],
  [['j'], 'Next row of a list'],
  [['k'], 'Previous row of a list'],
  [['Enter'], 'Open the row'],
];

/** The list of all keyboard shortcuts. */
export function HelpDialog({ open, onClose }: { readonly open: boolean; readonly onClose: () => void }) {
  return (
    <Dialog
      open={open}
      onClose={onClose}
      title="Keyboard shortcuts"
      description="Shortcuts of one letter can be switched off in your menu."
    >
      <dl className="grid grid-cols-[auto_minmax(0,1fr)] items-center gap-x-4 gap-y-2">
        {shortcuts.map(([keys, what]) => (
          <Fragment key={keys.join(' ')}>
            <dt className="flex items-center gap-1">
              {keys.map((key) => (
                <Kbd key={key}>{key}</Kbd>
              ))}
            </dt>
            <dd>{what}</dd>
          </Fragment>
        ))}
      </dl>
    </Dialog>
  );
}
