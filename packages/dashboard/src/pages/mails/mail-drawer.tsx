import { useCall } from '../../api/calls.ts';
import { ErrorState } from '../../components/feedback/error-state.tsx';
import { SkeletonLines } from '../../components/feedback/skeleton.tsx';
import { ScrollRegion } from '../../components/layout/scroll-region.tsx';
import { Drawer } from '../../components/overlays/dialog.tsx';
import { KeyValue, None } from '../../components/values/key-value.tsx';
import { Time } from '../../components/values/time.tsx';
import { NextTime } from '../../components/values/time-left.tsx';
import { MailState, mailStates } from './mail-state.tsx';

/** One mail as its recipient reads it. @param id '' if no mail is open */
export function MailDrawer({ id, onClose }: { readonly id: string; readonly onClose: () => void }) {
  return (
    <Drawer open={id !== ''} onClose={onClose} title="Mail">
      {id !== '' && <MailText id={id} />}
    </Drawer>
  );
}

function MailText({ id }: { readonly id: string }) {
  const { data, error, refetch } = useCall('retrieveMail', { params: { id } });
  if (data === undefined) {
    return error === null ? (
      <SkeletonLines of="the mail" lines={6} />
    ) : (
      <ErrorState error={error} onRetry={() => void refetch()} />
    );
  }
  return (
    <div className="flex flex-col gap-5">
      <KeyValue
        pairs={[
          { key: 'Subject', value: <b className="font-medium">{data.subject}</b> },
          { key: 'To', value: data.to },
          {
            key: 'State',
            value: (
              <>
                <MailState state={data.state} />{' '}
                <span className="text-text-2">{mailStates[data.state].meaning}</span>
              </>
            ),
          },
          { key: 'Written', value: <Time at={data.created_at} /> },
          { key: 'Sent', value: data.sent_at === null ? <None /> : <Time at={data.sent_at} /> },
          { key: 'Tries', value: data.tries },
          ...(data.next_try_at === null
            ? []
            : [{ key: 'Next try', value: <NextTime at={data.next_try_at} /> }]),
          ...(data.error === null ? [] : [{ key: 'Last error', value: data.error }]),
        ]}
      />
      <ScrollRegion
        label="Text of the mail"
        className="overflow-x-auto rounded-md border border-line bg-sunken p-4"
      >
        <p className="font-mono text-sm whitespace-pre-wrap [overflow-wrap:anywhere]">{data.text}</p>
      </ScrollRegion>
    </div>
  );
}
