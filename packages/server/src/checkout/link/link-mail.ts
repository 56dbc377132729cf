import type { Branding } from '../../accounts/branding.ts';
import type { AccountContext } from '../../accounts/context.ts';
import { writeBlocks } from '../../mail/html.ts';
import type { MailMessage } from '../../mail/queue-mail.ts';
import type { LinkRow } from '../../payment-links/row.ts';
import { chooseLanguage } from '../pages/texts/languages.ts';
import { Words } from '../pages/words.ts';

/** The mail with a link to a person who is to pay with it, in the language of the shop's pages. */
export function linkMail({
  context,
  branding,
  link,
  url,
}: {
  readonly context: AccountContext;
  readonly branding: Branding;
  readonly link: LinkRow;
  readonly url: string;
}): MailMessage {
  const { displayName, defaultLocale } = branding;
  const language = chooseLanguage({
    chosen: null,
    customer: null,
    browserInfo: null,
    accepted: null,
    account: defaultLocale,
  });
  const words = new Words(language);
  const shop = displayName ?? context.accountName;
  const { title, description, amount, currency, expires_at: end } = link;
  const money = (value: number) => words.amount(value, currency);
  const bounds = { min: money(link.amount_min ?? 0), max: money(link.amount_max ?? 0) };
  const facts = [
    [words.plain('order_title'), title],
    [words.plain('fact_amount'), amount === null ? words.plain('link_amount_hint', bounds) : money(amount)],
  ] as const;
  const blocks = [
    ...(context.livemode ? [] : [words.plain('test_band')]),
    words.plain('pay_shop', { shop }),
    facts,
    ...(description === null ? [] : [description]),
    url,
    ...(end === null ? [] : [words.plain('complete_by', { time: words.momentText(end) })]),
  ];
  return {
    subject: `${context.livemode ? '' : '[Test] '}${words.plain('pay_shop', { shop })}: ${title}`,
    ...writeBlocks(blocks, language),
  };
}
