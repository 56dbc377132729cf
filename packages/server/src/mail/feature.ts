import type { Clock } from '../lib/clock.ts';
import type { RandomBytes } from '../lib/ids.ts';
import { describeError, type Logger } from '../lib/log/log.ts';
import type { Database } from '../store/database.ts';
import type { MailDependencies } from './queue-mail.ts';
import type { SendMailDependencies } from './send-mails.ts';
import { smtpTransport } from './transport.ts';

/** Composes mail: the outbox, and the sweep that sends it if a mail server is configured. */
export function createMail({
  db,
  clock,
  log,
  randomBytes,
  smtpUrl,
  mailFrom,
}: {
  readonly db: Database;
  readonly clock: Clock;
  readonly log: Logger;
  readonly randomBytes: RandomBytes;
  readonly smtpUrl: string | null;
  readonly mailFrom: Parameters<typeof smtpTransport>[1];
}): { readonly mail: MailDependencies; readonly outbox: SendMailDependencies | null } {
  const mail: MailDependencies = { db, clock, randomBytes, sends: smtpUrl !== null };
  if (smtpUrl === null) {
    log.info('SMTP_URL is not set: mail is kept in the outbox and not sent');
    return { mail, outbox: null };
  }
  const outbox: SendMailDependencies = {
    db,
    clock,
    send: smtpTransport(smtpUrl, mailFrom),
    onIncident: (message, { account_id: account }, error) =>
      log.warn(message, { account, ...describeError(error) }),
  };
  return { mail, outbox };
}
