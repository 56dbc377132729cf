import { useQueryClient } from '@tanstack/react-query';
import { CircleAlert } from 'lucide-react';
import { useState } from 'react';
import { type Answer, useCall } from '../../../api/calls.ts';
import { Button } from '../../../components/buttons/button.tsx';
import { Icon } from '../../../components/buttons/icon.tsx';
import { EmptyState } from '../../../components/feedback/empty-state.tsx';
import { ErrorState } from '../../../components/feedback/error-state.tsx';
import { SkeletonLines } from '../../../components/feedback/skeleton.tsx';
import { toast } from '../../../components/feedback/toasts.tsx';
import { Card } from '../../../components/layout/card.tsx';
import { ScrollRegion } from '../../../components/layout/scroll-region.tsx';
import { ConfirmDialog } from '../../../components/overlays/confirm-dialog.tsx';
import { useDialogChange } from '../../../components/overlays/requests/dialog-change.ts';
import { DataTable } from '../../../components/tables/data-table.tsx';
import type { Column } from '../../../components/tables/table-props.ts';
import { Time } from '../../../components/values/time.tsx';
import { Link, usePaths } from '../../../navigation/navigation.tsx';
import { activations, environments, type Settings } from '../settings-words.ts';

type Change = Answer<'previewEnvironment'>;
type Key = Change['stopping_keys'][number];

const keysIn = (count: number) => (count === 1 ? '1 API key' : `${count} API keys`);

/** The consequences of a change of the environment, and the button that makes it. */
export function SwitchCard({ settings }: { readonly settings: Settings }) {
  const preview = useCall('previewEnvironment');
  const paths = usePaths();
  const [asking, setAsking] = useState(false);
  const change = preview.data;
  const target = change === undefined ? '' : environments[change.target].word.toLowerCase();
  if (change === undefined) {
    return (
      <Card title="Change the environment">
        {preview.error === null ? (
          <SkeletonLines of="what a change would do" />
        ) : (
          <ErrorState error={preview.error} onRetry={() => void preview.refetch()} />
        )}
      </Card>
    );
  }
  return (
    <>
      <Card
        title={`Switch to ${target}`}
        description={consequence(change)}
        actions={
          <Button unavailable={change.refusal?.message} onClick={() => setAsking(true)}>
            Switch to {target}…
          </Button>
        }
      >
        {change.refusal === null ? (
          <Warnings settings={settings} change={change} />
        ) : (
          <>
            <Note>{change.refusal.message}</Note>
            <p className="mt-3">
              <Link to={paths.settings('go-live')} className="font-medium text-accent hover:underline">
                See everything that live payments need
              </Link>
            </p>
          </>
        )}
      </Card>
      <KeyTable
        title="Keys that stop working"
        empty="No key of this environment is in use."
        keys={change.stopping_keys}
      />
      {change.returning_keys.length > 0 && (
        <KeyTable title="Keys that work again" empty="" keys={change.returning_keys} />
      )}
      <SwitchDialog
        open={asking}
        onClose={() => setAsking(false)}
        settings={settings}
        change={change}
        onChanged={() => void preview.refetch()}
      />
    </>
  );
}

const consequence = ({ target, stopping_keys: keys }: Change) =>
  keys.length === 0
    ? `This workspace becomes ${environments[target].word.toLowerCase()}. No API key stops working.`
    : `This workspace becomes ${environments[target].word.toLowerCase()}. ${keysIn(keys.length)} will answer key_mode_mismatch from then on; your servers need keys of the new environment.`;

const Note = ({ children }: { readonly children: string }) => (
  <p className="flex gap-2 rounded-md bg-warn-soft px-3 py-2 text-warn">
    <Icon of={CircleAlert} className="mt-0.5 size-4" />
    <span>{children}</span>
  </p>
);

/** What will not work after the change, although the change is allowed. */
function Warnings({ settings, change }: { readonly settings: Settings; readonly change: Change }) {
  if (change.target === 'sandbox') {
    return (
      <Note>
        Live payments, holds, refunds and disputes cannot be seen or handled until you switch back. Deadlines
        run on.
      </Note>
    );
  }
  const { activation, connection } = settings;
  return (
    <div className="flex flex-col gap-2">
      {activation !== 'active' && <Note>{activations[activation].text}</Note>}
      {connection.live === 'credentials_missing' && (
        <Note>The operator has not set the live credentials: live payments are refused until then.</Note>
      )}
      {connection.status === 'disconnected' && (
        <Note>The processor is disconnected: payments are refused until you connect it.</Note>
      )}
      <p className="text-text-2">From then on payments of this workspace are real.</p>
    </div>
  );
}

const columns: readonly Column<Key>[] = [
  {
    id: 'name',
    title: 'Key',
    main: true,
    cell: ({ name }) => name ?? <span className="text-text-2">Without a name</span>,
  },
  {
    id: 'hint',
    title: 'Secret',
    card: 'end',
    cell: ({ hint }) => <code className="font-mono text-sm whitespace-nowrap">{hint}</code>,
  },
  { id: 'made', title: 'Made', card: 'titled', cell: ({ created_at }) => <Time at={created_at} /> },
  {
    id: 'used',
    title: 'Last used',
    card: 'titled',
    cell: ({ last_used_at }) => (last_used_at === null ? 'Never' : <Time at={last_used_at} />),
  },
];

const KeyTable = ({
  title,
  empty,
  keys,
}: {
  readonly title: string;
  readonly empty: string;
  readonly keys: readonly Key[];
}) => (
  <div>
    <h2 className="mb-2 text-lg font-semibold">{title}</h2>
    <DataTable
      label={title}
      columns={columns}
      rows={keys}
      rowKey={({ id }) => id}
      empty={<EmptyState title="None">{empty}</EmptyState>}
    />
  </div>
);

function SwitchDialog({
  open,
  onClose,
  settings,
  change,
  onChanged,
}: {
  readonly open: boolean;
  readonly onClose: () => void;
  readonly settings: Settings;
  readonly change: Change;
  /** Called after a failure, because the server may have other keys than these. */
  readonly onChanged: () => void;
}) {
  const queries = useQueryClient();
  const close = () => {
    go.reset();
    onClose();
  };
  // The server may have other keys than the dialog shows, so the preview is refetched after a failure.
  const go = useDialogChange('switchEnvironment', [], { open, onClose: close }, onChanged);
  const target = environments[change.target].word.toLowerCase();
  const keys = change.stopping_keys.map(({ id }) => id);
  const confirm = () =>
    go.send({ body: { environment: change.target, name: settings.name, keys } }, (_, closeThis) => {
      closeThis();
      toast(`This workspace is ${target} now`);
      // Every cached response belongs to the previous environment, and no page may start with one.
      queries.removeQueries({ type: 'inactive' });
      void queries.invalidateQueries();
    });
  return (
    <ConfirmDialog
      open={open}
      onClose={close}
      title={`Switch to ${target}`}
      action={`Switch to ${target}`}
      typed={settings.name}
      danger={change.target === 'live' || keys.length > 0}
      busy={go.busy}
      error={go.error}
      onConfirm={confirm}
    >
      <StoppingKeys keys={change.stopping_keys} />
      <p>You can switch back; nothing is deleted.</p>
    </ConfirmDialog>
  );
}

function StoppingKeys({ keys }: { readonly keys: readonly Key[] }) {
  if (keys.length === 0) return <p>No API key stops working.</p>;
  return (
    <>
      <p>
        {keysIn(keys.length)} will answer <code className="font-mono">key_mode_mismatch</code>:
      </p>
      <ScrollRegion
        label="Keys that stop working"
        className="max-h-48 overflow-y-auto rounded-md border border-line"
      >
        <ul className="divide-y divide-line">
          {keys.map((key) => (
            <li key={key.id} className="px-3 py-1.5 text-sm">
              <span className="font-medium text-text [overflow-wrap:anywhere]">
                {key.name ?? 'Without a name'}
              </span>{' '}
              <code className="font-mono whitespace-nowrap">{key.hint}</code>
              <span className="block text-text-3">
                {key.last_used_at === null ? (
                  'Never used'
                ) : (
                  <>
                    Last used <Time at={key.last_used_at} />
                  </>
                )}
              </span>
            </li>
          ))}
        </ul>
      </ScrollRegion>
    </>
  );
}
