import { type Static, Type } from 'typebox';
import { CappedPageOf, type DashboardOperation, IsoTime, rolesFor } from '../../api/dashboard-operation.ts';
import { limits, Nullable } from '../../primitives/common.ts';

export const mailStates = ['queued', 'sent', 'failed', 'kept'] as const;

/** An email to one person. Its times are real time. */
export const Mail = Type.Object({
  id: Type.String(),
  to: Type.String(),
  subject: Type.String(),
  /** `kept`: there was no mail server to send it, and it will never be sent. */
  state: Type.Enum([...mailStates]),
  tries: Type.Integer(),
  /** Why the last attempt failed. */
  error: Nullable(Type.String()),
  created_at: IsoTime,
  sent_at: Nullable(IsoTime),
  /** Null unless the email is queued. */
  next_try_at: Nullable(IsoTime),
});
export type Mail = Static<typeof Mail>;

export const MailsQuery = Type.Object({
  state: Type.Optional(Type.Enum([...mailStates])),
  page: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000_000, default: 1 })),
  per_page: Type.Optional(Type.Integer({ minimum: 1, maximum: limits.pageSizeMax, default: 50 })),
});
export type MailsQuery = Static<typeof MailsQuery>;

/** The outbox of emails to the people of an account, in both modes. */
export const mailOperations = {
  listMails: {
    id: 'listMails',
    method: 'GET',
    path: '/accounts/:account/mails',
    roles: rolesFor.developing,
    query: MailsQuery,
    answers: {
      200: Type.Object({
        ...CappedPageOf(Mail).properties,
        /** False if no mail server is configured, so that emails are only stored here. */
        sends: Type.Boolean(),
      }),
    },
  },
  /** Returns an email with its text. The secret part of sign-in links is removed. */
  retrieveMail: {
    id: 'retrieveMail',
    method: 'GET',
    path: '/accounts/:account/mails/:id',
    roles: rolesFor.developing,
    answers: { 200: Type.Object({ ...Mail.properties, text: Type.String() }) },
  },
} as const satisfies Record<string, DashboardOperation>;
