import { walletProvider } from '@till/contract';
import type { Branding } from '../../accounts/branding.ts';
import { linkToken } from '../../payment-links/link-token.ts';
import type { PaymentRow } from '../../payments/payment.ts';
import type { HostedFields } from '../../processors/port/capabilities.ts';
import { capabilitiesOf } from '../../processors/registry.ts';
import type { Visit } from '../visit/flow.ts';
import type { CheckoutAssets } from './assets.ts';
import { type Html, html } from './html.ts';
import { defaultColour } from './theme.ts';
import type { Words } from './words.ts';

/** How buyers know the wallet. */
export const walletName = capabilitiesOf(walletProvider).walletName ?? '';

/** What every page of one visit has around its content. */
export interface Scene {
  readonly words: Words;
  readonly assets: CheckoutAssets;
  /** The shop's name; '' where no payment was found. */
  readonly shop: string;
  readonly branding: Branding | null;
  /** Below this address stands the logo. */
  readonly logoPath: string | null;
  /** Whether no real money can move. */
  readonly isTest: boolean;
  /** Address of this payment's page, without query. */
  readonly path: string;
  readonly requestId: string;
}

/** A scene of a payment that was found. */
export interface PaymentScene extends Scene {
  readonly visit: Visit;
  /** Real time. */
  readonly now: Date;
  /** Whether mail is sent at all. */
  readonly mails: boolean;
}

/** One page, ready for the layout. */
export interface Page {
  readonly status: number;
  readonly title: string;
  readonly content: Html;
  /** Where the browser goes on by itself, at once. */
  readonly leaveFor?: string | undefined;
  /** Where a browser without JavaScript goes on by itself, and after how many seconds. */
  readonly refresh?: { readonly seconds: number; readonly path: string } | undefined;
  /** Origin of the page that this one shows in a frame. */
  readonly frame?: string | undefined;
  /** The page takes cards in these fields of the processor's own. */
  readonly hostedFields?: HostedFields | undefined;
}

export const colourOf = ({ branding }: Scene): string => branding?.colour ?? defaultColour;

/** The amount as the page shows it, with the currency's code beside the sign that several currencies share. */
export const amountLine = (
  { words }: Scene,
  { amount, currency }: Pick<PaymentRow, 'amount' | 'currency'>,
): Html => {
  const shown = words.amount(amount, currency);
  return html`<p class="amount"><bdi>${shown}</bdi> <span class="code">${words.codeBeside(shown, currency)}</span></p>`;
};

/** The page of the link with which the buyer pays; null where there is none. */
export const linkPathOf = ({ context, payment }: Visit): string | null =>
  payment.payment_link_id === null ? null : `/pay/${linkToken(context, payment.payment_link_id)}`;

/** An address of a link's pages: they keep the buyer's language nowhere else. */
export const withLanguage = ({ words }: Pick<Scene, 'words'>, path: string): string =>
  `${path}?lang=${words.language.tag}`;

/** A link that looks like a button. */
export const mainAction = (url: string, label: Html): Html =>
  html`<a class="action" href="${url}">${label}</a>`;

/** A quieter way on. */
export const otherWay = (url: string, label: Html): Html =>
  html`<p class="ways"><a class="plain" href="${url}">${label}</a></p>`;

/** The heading of a page that says how things stand: the first that a screen reader says. */
export const heading = (title: Html): Html => html`<h1 tabindex="-1" autofocus>${title}</h1>`;
