import type { RandomBytes } from '../lib/ids.ts';
import { describeError } from '../lib/log.ts';
import type { MailDependencies } from '../mail/queue-mail.ts';
import type { SendMailDependencies } from '../mail/send-mails.ts';
import { smtpTransport } from '../mail/transport.ts';
import type { ServerDependencies } from './dependencies.ts';

/** Mail to people: its outbox, and what sends it where there is a mail server. */
export function composeMail(
  { config, db, clock, log }: ServerDependencies,
  randomBytes: RandomBytes,
): { readonly mail: MailDependencies; readonly outbox: SendMailDependencies | null } {
  const { smtpUrl, mailFrom } = config;
  const mail: MailDependencies = { db, clock, randomBytes, sends: smtpUrl !== null };
  if (smtpUrl === null) {
    log.info('SMTP_URL is not set: mail is kept in the outbox and not sent');
    return { mail, outbox: null };
  }
  const outbox: SendMailDependencies = {
    db,
    clock,
    send: smtpTransport(smtpUrl, mailFrom),
    onTrouble: (message, { account_id: account }, error) =>
      log.warn(message, { account, ...describeError(error) }),
  };
  return { mail, outbox };
}
