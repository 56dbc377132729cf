import { Dialog } from '../../../components/overlays/dialog.tsx';
import { RevealOnce } from '../../../components/overlays/reveal-once.tsx';
import { useReveal } from '../use-reveal.ts';
import { EndpointForm, emptyEndpoint } from './endpoint-form.tsx';

/** Adds an endpoint and shows its signing secret, once. */
export function AddEndpoint({ open, onClose }: { readonly open: boolean; readonly onClose: () => void }) {
  const made = useReveal('createWebhookEndpoint', ['listWebhookEndpoints'], { open, onClose });
  const close = () => {
    onClose();
    made.forget();
  };
  return (
    <>
      <Dialog open={open} onClose={close} title="Add a webhook endpoint" size="md">
        <EndpointForm
          initial={emptyEndpoint}
          action="Add endpoint"
          busy={made.busy}
          error={made.error}
          onSubmit={(body) => made.run({ body })}
          onCancel={close}
        />
      </Dialog>
      <RevealOnce
        title="Signing secret of the endpoint"
        what="Signing secret"
        secret={made.answer?.secret}
        onSaved={made.forget}
      >
        Your server checks every message with it. Then open the endpoint and send a test event.
      </RevealOnce>
    </>
  );
}
