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

/** The wallet's name as buyers know it. */
export const walletName = capabilitiesOf(walletProvider).walletName ?? '';

/** What every page of one visit shows around its content. */
export interface Scene {
  readonly words: Words;
  readonly assets: CheckoutAssets;
  /** The shop's name; '' if no payment was found. */
  readonly shop: string;
  readonly branding: Branding | null;
  /** Path of the logo; null if the shop has none. */
  readonly logoPath: string | null;
  /** Whether no real money can move. */
  readonly isTest: boolean;
  /** Path of this payment's page, without query. */
  readonly path: string;
  readonly requestId: string;
}

/** The scene of a payment that was found. */
export interface PaymentScene extends Scene {
  readonly visit: Visit;
  /** Real time. */
  readonly now: Date;
  /** Whether mail is configured. */
  readonly mails: boolean;
}

/** One page, ready for the layout. */
export interface Page {
  readonly status: number;
  readonly title: string;
  readonly content: Html;
  /** Where the browser is redirected at once. */
  readonly leaveFor?: string | undefined;
  /** Where a browser without JavaScript is redirected, and after how many seconds. */
  readonly refresh?: { readonly seconds: number; readonly path: string } | undefined;
  /** Origin of the page that this one shows in a frame. */
  readonly frame?: string | undefined;
  /** The processor's own fields in which the page takes cards. */
  readonly hostedFields?: HostedFields | undefined;
}

export const colourOf = ({ branding }: Scene): string => branding?.colour ?? defaultColour;

/** The amount as the page shows it, with the currency's code if several currencies share its sign. */
export const amountLine = (
  { words }: Scene,
  { amount, currency }: Pick<PaymentRow, 'amount' | 'currency'>,
): Html => {
  const shown = words.amount(amount, currency);
  return html`<p class="amount"><bdi>${shown}</bdi> <span class="code">${words.codeBeside(shown, currency)}</span></p>`;
};

/** The page of the payment link with which the buyer pays; null if there is none. */
export const linkPathOf = ({ context, payment }: Visit): string | null =>
  payment.payment_link_id === null ? null : `/pay/${linkToken(context, payment.payment_link_id)}`;

/** Adds the buyer's language to a path of a link's pages, which do not store it anywhere else. */
export const withLanguage = ({ words }: Pick<Scene, 'words'>, path: string): string =>
  `${path}?lang=${words.language.tag}`;

/** A link that looks like a button. */
export const mainAction = (url: string, label: Html): Html =>
  html`<a class="action" href="${url}">${label}</a>`;

/** A less prominent alternative. */
export const otherWay = (url: string, label: Html): Html =>
  html`<p class="ways"><a class="plain" href="${url}">${label}</a></p>`;

/** The heading of a page that states an outcome. It has the focus, so that a screen reader reads it first. */
export const heading = (title: Html): Html => html`<h1 tabindex="-1" autofocus>${title}</h1>`;
