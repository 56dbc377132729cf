import { type Static, Type } from 'typebox';
import { CappedPageOf, type DashboardOperation, IsoTime, rolesFor } from '../../api/dashboard-operation.ts';
import { limits, Nullable } from '../../primitives/common.ts';

export const mailStates = ['queued', 'sent', 'failed', 'kept'] as const;

/** A mail to one person. Its times are real time. */
export const Mail = Type.Object({
  id: Type.String(),
  to: Type.String(),
  subject: Type.String(),
  /** `kept`: there was no mail server to give it to, and it is never sent later. */
  state: Type.Enum([...mailStates]),
  tries: Type.Integer(),
  /** Why the last try failed. */
  error: Nullable(Type.String()),
  created_at: IsoTime,
  sent_at: Nullable(IsoTime),
  /** Null unless it is queued. */
  next_try_at: Nullable(IsoTime),
});
export type Mail = Static<typeof Mail>;

export const MailsQuery = Type.Object({
  state: Type.Optional(Type.Enum([...mailStates])),
  page: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000_000, default: 1 })),
  per_page: Type.Optional(Type.Integer({ minimum: 1, maximum: limits.pageSizeMax, default: 50 })),
});
export type MailsQuery = Static<typeof MailsQuery>;

/** The outbox of mail to the people of an account, of both modes. */
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
        /** False: no mail server is set, so mails are only kept here. */
        sends: Type.Boolean(),
      }),
    },
  },
  /** With its text, in which the secret part of links that sign somebody in is left out. */
  retrieveMail: {
    id: 'retrieveMail',
    method: 'GET',
    path: '/accounts/:account/mails/:id',
    roles: rolesFor.developing,
    answers: { 200: Type.Object({ ...Mail.properties, text: Type.String() }) },
  },
} as const satisfies Record<string, DashboardOperation>;
