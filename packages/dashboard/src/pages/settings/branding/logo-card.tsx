import { useState } from 'react';
import { addressOf, useChange } from '../../../api/calls.ts';
import { useRefusal } from '../../../api/session.ts';
import { Button } from '../../../components/buttons/button.tsx';
import { announce } from '../../../components/feedback/announcer.tsx';
import { toast } from '../../../components/feedback/toasts.tsx';
import { ErrorText } from '../../../components/forms/field.tsx';
import { FileButton } from '../../../components/forms/file-button.tsx';
import { Card } from '../../../components/layout/card.tsx';
import { useParam } from '../../../navigation/navigation.tsx';
import type { Branding } from './use-branding-draft.ts';

const maxUploaded = 2_000_000;
const read = ['retrieveBranding', 'retrieveHome'] as const;

/** The URL of a logo; undefined if there is none. */
export function useLogoAddress(logo: Branding['logo']): string | undefined {
  const account = useParam('account');
  return logo === null ? undefined : addressOf('downloadLogo', { params: { account, id: logo.id } });
}

/** The logo: shows, replaces and removes it. */
export function LogoCard({ logo }: { readonly logo: Branding['logo'] }) {
  const refusal = useRefusal();
  const { send, error, busy } = useUpload();
  const remove = useChange('removeLogo', read);
  return (
    <Card
      title="Logo"
      description="PNG or JPEG, about 400 pixels wide. It is written anew, as nothing but its picture, and may then take 100 kB."
    >
      <Pictures logo={logo} />
      <div className="mt-3 flex flex-wrap items-center gap-2">
        <FileButton
          label={busy ? 'Uploading…' : logo === null ? 'Upload logo' : 'Replace logo'}
          of="PNG or JPEG"
          accept="image/png,image/jpeg,.png,.jpg,.jpeg"
          busy={busy}
          unavailable={refusal('uploadLogo')}
          onFile={send}
        />
        <Button
          size="sm"
          busy={remove.isPending}
          unavailable={refusal('removeLogo') ?? (logo === null ? 'There is no logo.' : undefined)}
          onClick={() =>
            remove.mutate(
              {},
              {
                onSuccess: () => toast('Logo removed'),
                onError: ({ message }) => toast(message, 'bad'),
              },
            )
          }
        >
          Remove logo
        </Button>
      </div>
      <div role="alert" className="mt-2 empty:mt-0">
        {error !== undefined && <ErrorText>{error}</ErrorText>}
      </div>
    </Card>
  );
}

function Pictures({ logo }: { readonly logo: Branding['logo'] }) {
  const address = useLogoAddress(logo);
  if (logo === null || address === undefined) {
    return <p className="text-text-2">No logo. The page shows the shop's name alone.</p>;
  }
  const kind = logo.content_type === 'image/png' ? 'PNG' : 'JPEG';
  return (
    <>
      <div className="flex flex-wrap gap-3">
        {(['light', 'dark'] as const).map((ground) => (
          <span
            key={ground}
            className={`grid h-16 min-w-32 place-items-center rounded-md border border-line px-4 ${ground === 'light' ? 'bg-white' : 'bg-[#1c1f27]'}`}
          >
            <img src={address} alt={`Logo on ${ground}`} className="h-10 max-w-40 object-contain" />
          </span>
        ))}
      </div>
      <p className="mt-1.5 text-sm text-text-3">
        {kind}, {logo.width} × {logo.height} pixels. A transparent background suits light and dark.
      </p>
    </>
  );
}

/** Uploads a file as soon as it is chosen; the server re-encodes the picture. */
function useUpload() {
  const upload = useChange('uploadLogo', read);
  const [fault, setFault] = useState<string>();
  const send = (file: File) => {
    const tooLarge = file.size > maxUploaded ? 'Choose a file of at most 2 MB.' : undefined;
    setFault(tooLarge);
    upload.reset();
    if (tooLarge !== undefined) return;
    announce(`Uploading ${file.name}`);
    upload.mutate({ file }, { onSuccess: () => toast('Logo saved') });
  };
  return { send, busy: upload.isPending, error: fault ?? upload.error?.message };
}
