import { formatAmount } from '../lib/money.ts';
import { namedTime } from '../lib/time-zone.ts';
import { type Block, writeBlocks } from './html.ts';
import type { MailMessage } from './queue-mail.ts';

/** The content of mails about a dispute. */
export interface DisputeMail {
  readonly id: string;
  readonly accountName: string;
  /** IANA name of the account's time zone. */
  readonly timeZone: string;
  readonly livemode: boolean;
  readonly paymentId: string;
  /** In minor units. */
  readonly amount: number;
  readonly currency: string;
  readonly state: string;
  readonly status: string;
  readonly reason: string;
  /** In account time. */
  readonly respondBy: Date | null;
  /** Till concluded this status because nobody responded in time. The processor has not confirmed it. */
  readonly byDeadline: boolean;
}

const inWords = (word: string) => word.replaceAll('_', ' ');

const money = ({ amount, currency }: DisputeMail) => `${formatAmount(amount, currency)} ${currency}`;

function facts(update: DisputeMail): Block {
  return [
    ['Account', update.accountName],
    ['Dispute', update.id],
    ['Payment', update.paymentId],
    ['Amount', money(update)],
    ['State', inWords(update.state)],
    ['Status', inWords(update.status)],
    ['Reason', inWords(update.reason)],
    ...(update.respondBy === null
      ? []
      : [['Answer by', namedTime(update.respondBy, update.timeZone)] as const]),
  ];
}

function message(update: DisputeMail, subject: string, ...words: readonly string[]): MailMessage {
  const [first = '', ...rest] = words;
  return {
    subject: `${update.livemode ? '' : '[Test] '}${subject}`,
    ...writeBlocks([first, facts(update), ...rest]),
  };
}

const howToAnswer =
  'Accept the loss, or defend with evidence. You can submit evidence once. Without an answer by the deadline the dispute counts as accepted.';

/** The mail about a payment that was disputed, or about a dispute that the issuer raised again. */
export function disputeOpened(update: DisputeMail): MailMessage {
  if (update.status !== 'action_required') {
    return message(
      update,
      `A payment of ${money(update)} is disputed`,
      'A buyer or their bank disputes a payment. Nothing has to be done now.',
    );
  }
  const by = update.respondBy === null ? '' : ` by ${namedTime(update.respondBy, update.timeZone)}`;
  return message(
    update,
    `A payment of ${money(update)} is disputed: answer${by}`,
    `A buyer or their bank disputes a payment (${inWords(update.state)}).`,
    howToAnswer,
  );
}

/** The mail about a dispute that still needs a response. @param hours the maximum number of hours left */
export function disputeReminder(update: DisputeMail, hours: number): MailMessage {
  return message(
    update,
    `Less than ${hours} hours to answer a dispute of ${money(update)}`,
    `A dispute still waits for an answer, and less than ${hours} hours are left.`,
    howToAnswer,
  );
}

/** The mail to a user to whom a dispute was assigned. @param by e-mail address of the user who assigned it */
export function disputeAssigned(update: DisputeMail, by: string): MailMessage {
  return message(
    update,
    `${by} handed you a dispute of ${money(update)}`,
    `${by} asks you to prepare the answer to a dispute. What has been written and collected so far stands in the dashboard, under Disputes.`,
    howToAnswer,
  );
}

/** The mail about a dispute that counted as accepted at its deadline, but that continues according to the processor. */
export function disputeGoesOn(update: DisputeMail): MailMessage {
  return message(
    update,
    `Dispute of ${money(update)} goes on: ${inWords(update.status)}`,
    'Its deadline passed without an answer here, so the dispute counted as accepted. The processor says that it was answered: the issuer decides now.',
  );
}

const unanswered =
  'Nobody answered by the deadline, so the dispute counts as accepted: the money goes back to the buyer. Should the processor say otherwise, you get another mail.';

const outcomes: Readonly<Record<string, string>> = {
  accepted: 'The dispute counts as accepted: the money goes back to the buyer.',
  lost: 'The dispute was decided in favour of the buyer.',
  won: 'The dispute was decided in your favour. The issuer may still raise it again.',
  recovered: 'A dispute that was lost has been reversed in your favour.',
};

/** The mail about the outcome of a dispute. */
export function disputeOutcome(update: DisputeMail): MailMessage {
  return message(
    update,
    `Dispute of ${money(update)}: ${inWords(update.status)}`,
    update.byDeadline ? unanswered : (outcomes[update.status] ?? `The dispute is ${inWords(update.status)}.`),
  );
}
