import type { Role } from '@till/contract/dashboard';
import { namedTime } from '../../lib/time-zone.ts';
import { writeBlocks } from '../../mail/html.ts';
import type { MailMessage } from '../../mail/queue-mail.ts';

/** The mail to an invited person. The link is shown as text, so that people see its address before they open it. */
export function invitationMail(invitation: {
  readonly accountName: string;
  /** IANA name of the account's time zone. */
  readonly timeZone: string;
  readonly role: Role;
  readonly invited_by: string;
  readonly url: string;
  readonly expires_at: Date;
}): MailMessage {
  return {
    subject: `Invitation to ${invitation.accountName}`,
    ...writeBlocks([
      `${invitation.invited_by} invites you to the payments dashboard of ${invitation.accountName}.`,
      [
        ['Account', invitation.accountName],
        ['Role', invitation.role],
        ['Link', invitation.url],
        ['Valid until', namedTime(invitation.expires_at, invitation.timeZone)],
      ],
      'The link works once. If you do not know the sender, do nothing.',
    ]),
  };
}
