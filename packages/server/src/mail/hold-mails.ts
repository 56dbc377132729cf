import { formatAmount } from '../lib/money.ts';
import { namedTime } from '../lib/time-zone.ts';
import { type Block, writeBlocks } from './html.ts';
import type { MailMessage } from './queue-mail.ts';

/** The content of a mail about holds that are about to lose their guarantee. */
export interface EndingGuaranteesMail {
  readonly accountName: string;
  /** IANA name of the account's time zone. */
  readonly timeZone: string;
  readonly livemode: boolean;
  /** The number of hours within which the guarantees end. */
  readonly hours: number;
  /** Totals by currency, in minor units. `first` is in account time. */
  readonly ending: readonly {
    readonly currency: string;
    readonly count: number;
    readonly amount: number;
    readonly first: Date;
  }[];
}

/** The mail about holds that should be captured before their guarantee ends. */
export function endingGuaranteesMail(update: EndingGuaranteesMail): MailMessage {
  const { accountName, timeZone, livemode, hours, ending } = update;
  const count = ending.reduce((sum, one) => sum + one.count, 0);
  const first = new Date(Math.min(...ending.map((one) => one.first.getTime())));
  const holds = count === 1 ? '1 hold' : `${count} holds`;
  const facts: Block = [
    ['Account', accountName],
    ...ending.map(
      (one) => [one.currency, `${formatAmount(one.amount, one.currency)} in ${one.count}`] as const,
    ),
    ['The first ends', namedTime(first, timeZone)],
  ];
  return {
    subject: `${livemode ? '' : '[Test] '}${holds} lose${count === 1 ? 's' : ''} the guarantee within ${hours} hours`,
    ...writeBlocks([
      'A hold is guaranteed for 3 days. From then on the buyer’s bank may decline to collect it, until it ends after 29 days.',
      facts,
      'Capture what you are going to deliver, and void the rest: Home lists these holds, and Payments captures many at once.',
    ]),
  };
}
