import type { Role } from '@till/contract/dashboard';
import { isoSeconds } from '../../lib/clock.ts';
import { writeBlocks } from '../../mail/html.ts';
import type { MailMessage } from '../../mail/queue-mail.ts';

/** What an invited person gets. The link stands in the text: mail of ours carries nothing to be clicked unread. */
export function invitationMail(invitation: {
  readonly accountName: string;
  readonly role: Role;
  readonly invited_by: string;
  readonly url: string;
  readonly expires_at: Date;
}): MailMessage {
  const until = isoSeconds(invitation.expires_at).replace('T', ', ').slice(0, 17);
  return {
    subject: `Invitation to ${invitation.accountName}`,
    ...writeBlocks([
      `${invitation.invited_by} invites you to the payments dashboard of ${invitation.accountName}.`,
      [
        ['Account', invitation.accountName],
        ['Role', invitation.role],
        ['Link', invitation.url],
        ['Valid until', `${until} UTC`],
      ],
      'The link works once. If you do not know the sender, do nothing.',
    ]),
  };
}
