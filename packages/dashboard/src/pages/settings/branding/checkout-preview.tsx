import type { CSSProperties } from 'react';
import { Card } from '../../../components/layout/card.tsx';
import { language } from '../../../lib/amounts/language.ts';
import { formatMoney } from '../../../lib/amounts/money.ts';
import { useLogoAddress } from './logo-card.tsx';
import type { Branding } from './use-branding-draft.ts';

type Scheme = 'light' | 'dark';

/** The base colours of the checkout page, copied from its style sheet. */
const grounds: Readonly<Record<Scheme, CSSProperties>> = {
  light: {
    '--page-sheet': '#ffffff',
    '--page-text': '#1b1f27',
    '--page-quiet': '#525a69',
    '--page-line': '#d7dbe3',
    '--page-edge': '#737b8b',
  } as CSSProperties,
  dark: {
    '--page-sheet': '#1c1f27',
    '--page-text': '#eef0f4',
    '--page-quiet': '#aab1c0',
    '--page-line': '#373d4a',
    '--page-edge': '#8b93a5',
  } as CSSProperties,
};

interface Look {
  readonly shop: string;
  readonly logo: Branding['logo'];
  readonly colours: Branding['colours'];
}

const sampleAmount = 4990;

/** A preview of the checkout page, in the light and the dark scheme. */
export function CheckoutPreview({ className, ...look }: Look & { readonly className: string }) {
  return (
    <Card title="Preview" description="Light or dark follows the buyer's device." className={className}>
      <div className="grid gap-5 sm:grid-cols-2 xl:grid-cols-1">
        <Pane scheme="light" look={look} />
        <Pane scheme="dark" look={look} />
      </div>
    </Card>
  );
}

const titles: Readonly<Record<Scheme, string>> = { light: 'Light', dark: 'Dark' };

function Pane({ scheme, look }: { readonly scheme: Scheme; readonly look: Look }) {
  return (
    <figure className="min-w-0">
      <figcaption className="mb-1.5 text-sm font-medium">{titles[scheme]}</figcaption>
      <Page scheme={scheme} look={look} />
      <UsedColours scheme={scheme} colours={look.colours} />
    </figure>
  );
}

function Page({ scheme, look: { shop, logo, colours } }: { readonly scheme: Scheme; readonly look: Look }) {
  const address = useLogoAddress(logo);
  const { button, button_text: onButton, link } = colours[scheme];
  const amount = formatMoney(sampleAmount, 'EUR', language());
  return (
    <div
      role="img"
      aria-label={`The checkout page of ${shop}, ${scheme}`}
      style={grounds[scheme]}
      className="rounded-lg border border-(--page-line) bg-(--page-sheet) p-4 text-(--page-text) [overflow-wrap:anywhere]"
    >
      {address !== undefined && <img src={address} alt="" className="mb-3 h-8 max-w-32 object-contain" />}
      <p className="text-lg leading-snug font-bold">
        Pay <bdi>{shop}</bdi>
      </p>
      <p className="text-2xl font-bold tabular-nums">
        {amount} <span className="text-sm font-medium text-(--page-quiet)">EUR</span>
      </p>
      <p className="mt-3 text-sm font-semibold">Card number</p>
      <div className="mt-1 h-9 rounded-md border border-(--page-edge)" />
      <p
        style={{ background: button, color: onButton }}
        className="mt-4 rounded-md px-3 py-2 text-center font-semibold"
      >
        Pay {amount}
      </p>
      <p style={{ color: link }} className="mt-3 underline underline-offset-2">
        Cancel and return to <bdi>{shop}</bdi>
      </p>
    </div>
  );
}

/** The word for the way in which a colour was adjusted. */
const moved: Readonly<Record<Scheme, string>> = { light: 'darkened', dark: 'lightened' };

function UsedColours({
  scheme,
  colours,
}: {
  readonly scheme: Scheme;
  readonly colours: Branding['colours'];
}) {
  const { button, button_text: onButton, link } = colours[scheme];
  const words = (colour: string) => (colour === colours.colour ? 'unchanged' : moved[scheme]);
  const rows = [
    ['Button', button, words(button)],
    ['Text on it', onButton, undefined],
    ['Links', link, words(link)],
  ] as const;
  return (
    <dl className="mt-2 grid grid-cols-[auto_minmax(0,1fr)] gap-x-3 gap-y-1 text-sm">
      {rows.map(([name, colour, how]) => (
        <div key={name} className="contents">
          <dt className="text-text-3">{name}</dt>
          <dd className="flex flex-wrap items-center gap-x-1.5">
            <span
              style={{ background: colour }}
              className="size-3.5 shrink-0 rounded-sm border border-line-strong"
            />
            <code className="font-mono">{colour}</code>
            {how !== undefined && <span className="text-text-2">{how}</span>}
          </dd>
        </div>
      ))}
    </dl>
  );
}
