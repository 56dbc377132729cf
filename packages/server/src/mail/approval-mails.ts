import type { Approval } from '@till/contract';
import { formatAmount } from '../lib/money.ts';
import { namedTime } from '../lib/time-zone.ts';
import { writeBlocks } from './html.ts';
import type { MailMessage } from './queue-mail.ts';

/** The content of a mail about a request that waits for approval. */
export interface ApprovalMail {
  readonly accountName: string;
  /** IANA name of the account's time zone. */
  readonly timeZone: string;
  readonly livemode: boolean;
  readonly action: Approval['action'];
  /** Null for a payment link. */
  readonly payment_id: string | null;
  readonly request: { readonly link?: { readonly title: string } };
  /** In minor units. */
  readonly amount: number;
  readonly currency: string;
  /** Id of the key or user that made the request. */
  readonly requested_by: string;
  /** Null if an API key made the request. */
  readonly requester_email: string | null;
  /** Account time. */
  readonly expires_at: Date;
}

const aboutOf = ({ payment_id: payment, request }: ApprovalMail): readonly [name: string, value: string] =>
  payment === null ? ['Payment link', request.link?.title ?? ''] : ['Payment', payment];

/** The mail about a request that waits for approval. */
export function approvalMail(update: ApprovalMail): MailMessage {
  const { accountName, timeZone, livemode, amount, currency } = update;
  const action = update.action.replaceAll('_', ' ');
  const money = `${formatAmount(amount, currency)} ${currency}`;
  const facts = [
    ['Account', accountName],
    aboutOf(update),
    ['Amount', money],
    ['Asked for by', update.requester_email ?? update.requested_by],
    ['Waits until', namedTime(update.expires_at, timeZone)],
  ] as const;
  return {
    subject: `${livemode ? '' : '[Test] '}A ${action} of ${money} waits for your approval`,
    ...writeBlocks([
      `${update.requester_email ?? 'An API key'} asked for this ${action}, which is above what may be done without approval. Nothing has happened yet.`,
      facts,
      'Approve or refuse it in the dashboard under Waiting for approval. Where nobody decides in time, nothing is done.',
    ]),
  };
}
