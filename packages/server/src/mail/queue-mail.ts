import type { Clock } from '../lib/clock.ts';
import { newId, type RandomBytes } from '../lib/ids.ts';
import type { Queryable } from '../store/database.ts';
import { headerText } from './address.ts';
import { insertMailRows, type NewMail, staffAddresses } from './store.ts';

export interface MailDependencies {
  readonly db: Queryable;
  readonly clock: Clock;
  readonly randomBytes: RandomBytes;
  /** False where there is no mail server: then the outbox keeps what it is given. */
  readonly sends: boolean;
}

/** What a mail says. */
export interface MailMessage {
  readonly subject: string;
  readonly text: string;
  readonly html: string | null;
}

/** A message as one mail for each address. Nothing is written here. */
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
 * A message as one mail for each owner and admin of the account, for the commit that it belongs to (`insertMails`).
 * Nothing is written here.
 * @param also id of a member who gets it whatever their role
 */
export async function addressMails(
  deps: MailDependencies,
  accountId: string,
  message: MailMessage,
  also: string | null = null,
): Promise<NewMail[]> {
  return mailsTo(deps, await staffAddresses(deps.db, accountId, also), message);
}

/** Writes a message to one person, in the transaction that `parts.db` is. */
export async function queueMailTo(
  deps: MailDependencies,
  accountId: string,
  address: string,
  message: MailMessage,
): Promise<void> {
  await insertMailRows(deps.db, accountId, mailsTo(deps, [address], message));
}

/** Writes a message to the owners and admins that no other change is committed with. @returns how many mails */
export async function queueMail(
  deps: MailDependencies,
  accountId: string,
  message: MailMessage,
): Promise<number> {
  const mails = await addressMails(deps, accountId, message);
  if (mails.length > 0) await insertMailRows(deps.db, accountId, mails);
  return mails.length;
}
