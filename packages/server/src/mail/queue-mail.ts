import type { Clock } from '../lib/clock.ts';
import { newId, type RandomBytes } from '../lib/ids.ts';
import type { Queryable } from '../store/database.ts';
import { headerText } from './address.ts';
import { insertMailRows, type NewMail, staffAddresses } from './store.ts';

export interface MailDependencies {
  readonly db: Queryable;
  readonly clock: Clock;
  readonly randomBytes: RandomBytes;
  /** False if no mail server is configured. Then mails stay in the outbox. */
  readonly sends: boolean;
}

/** The content of a mail. */
export interface MailMessage {
  readonly subject: string;
  readonly text: string;
  readonly html: string | null;
}

/** Makes one mail for each address. Does not store them. */
function mailsTo(
  { clock, randomBytes, sends }: Omit<MailDependencies, 'db'>,
  addresses: readonly string[],
  { subject, text, html }: MailMessage,
): NewMail[] {
  const now = clock.now();
  return addresses.map((address) => ({
    id: newId('mail', now, randomBytes),
    to_address: address,
    subject: headerText(subject),
    text,
    html,
    state: sends ? 'queued' : 'kept',
    created_at: now,
  }));
}

/**
 * Makes one mail for each owner and admin of the account. Does not store them: that is part of the caller's commit
 * (`insertMails`).
 * @param also id of a member who gets the mail whatever their role
 */
export async function buildMails(
  deps: MailDependencies,
  accountId: string,
  message: MailMessage,
  also: string | null = null,
): Promise<NewMail[]> {
  return mailsTo(deps, await staffAddresses(deps.db, accountId, also), message);
}

/** Queues a mail to one person, in the transaction of `deps.db`. */
export async function queueMailTo(
  deps: MailDependencies,
  accountId: string,
  address: string,
  message: MailMessage,
): Promise<void> {
  await insertMailRows(deps.db, accountId, mailsTo(deps, [address], message));
}

/** Queues a mail to the owners and admins in its own commit. @returns the number of mails */
export async function queueMail(
  deps: MailDependencies,
  accountId: string,
  message: MailMessage,
): Promise<number> {
  const mails = await buildMails(deps, accountId, message);
  if (mails.length > 0) await insertMailRows(deps.db, accountId, mails);
  return mails.length;
}
