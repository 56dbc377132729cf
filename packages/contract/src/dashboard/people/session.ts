import { type Static, Type } from 'typebox';
import { type DashboardOperation, Done, IsoTime, roles } from '../../api/dashboard-operation.ts';
import { Nullable, Provider, Text } from '../../primitives/common.ts';

export const passwordLimits = { min: 8, max: 1000 } as const;

const Email = Type.String({ format: 'email', maxLength: 254 });
/** The minimum length is only checked where a new password is chosen. */
const Password = Text(passwordLimits.max);
/** An authenticator code or a recovery code. */
const Code = Text(40);
const Token = Text(100);

/** An account in the workspace switcher. */
export const Workspace = Type.Object({
  id: Type.String(),
  name: Type.String(),
  environment: Type.Enum(['sandbox', 'live']),
  activation: Type.Enum(['not_activated', 'active', 'suspended', 'restricted', 'closed']),
  processor: Provider,
  /** IANA name of the time zone in which pages show times. */
  time_zone: Type.String(),
  role: Type.Enum([...roles]),
});
export type Workspace = Static<typeof Workspace>;

/** What pages need to know about the account's processor. */
export const ProcessorTraits = Type.Object({
  name: Type.String(),
  does: Type.String(),
  /** The credentials that the operator needs for live payments, as text. */
  credentials: Type.Array(Type.String()),
  /** Payment methods that this processor offers besides typed cards. */
  browser_methods: Type.Array(Type.Enum(['card_fields', 'wallet'])),
  holds: Type.Boolean(),
  evidence_types: Type.Array(Type.Enum(['application/pdf', 'image/jpeg', 'image/png'])),
  /** Whether one defence can contain only a few files. */
  few_evidence_files: Type.Boolean(),
  /** The processor's name for its settlement report. Null if none can be imported. */
  settlement_report: Nullable(Type.String()),
});
export type ProcessorTraits = Static<typeof ProcessorTraits>;

/** The signed-in person. */
export const SignedIn = Type.Object({
  user: Type.Object({ id: Type.String(), email: Type.String(), totp_enabled: Type.Boolean() }),
  /** Must be sent as `x-csrf-token` with every request except GET. */
  csrf_token: Type.String(),
  /** Until when no operation responds with `confirmation_required`. */
  confirmed_until: Nullable(IsoTime),
  expires_at: IsoTime,
  accounts: Type.Array(Workspace),
});
export type SignedIn = Static<typeof SignedIn>;

export const SignIn = Type.Object({ email: Email, password: Password, code: Type.Optional(Code) });
export type SignIn = Static<typeof SignIn>;

export const SessionConfirm = Type.Object({ password: Password, code: Type.Optional(Code) });

const SetupLink = Type.Object({
  accounts: Type.Array(Type.Object({ id: Type.String(), name: Type.String() })),
  expires_at: IsoTime,
});

const InvitationLink = Type.Object({
  account_name: Type.String(),
  email: Type.String(),
  role: Type.Enum([...roles]),
  /** Whether the invited person already has a password to sign in with. Otherwise they choose one. */
  has_user: Type.Boolean(),
  expires_at: IsoTime,
});

/** Signing in and out, the first login, and accepting an invitation. These do not belong to an account. */
export const sessionApi = {
  retrieveSession: {
    id: 'retrieveSession',
    method: 'GET',
    path: '/session',
    roles: 'signed_in',
    answers: { 200: SignedIn },
  },
  createSession: {
    id: 'createSession',
    method: 'POST',
    movesMoney: false,
    path: '/session',
    roles: 'anyone',
    body: SignIn,
    answers: { 200: SignedIn },
    audit: 'session.created',
  },
  deleteSession: {
    id: 'deleteSession',
    method: 'DELETE',
    path: '/session',
    roles: 'signed_in',
    answers: { 200: Done },
    audit: 'session.ended',
  },
  confirmSession: {
    id: 'confirmSession',
    method: 'POST',
    movesMoney: false,
    path: '/session/confirm',
    roles: 'signed_in',
    body: SessionConfirm,
    answers: { 200: SignedIn },
    audit: 'session.confirmed',
  },
  retrieveSetupLink: {
    id: 'retrieveSetupLink',
    method: 'GET',
    path: '/setup/:token',
    roles: 'anyone',
    answers: { 200: SetupLink },
  },
  completeSetup: {
    id: 'completeSetup',
    method: 'POST',
    movesMoney: false,
    path: '/setup',
    roles: 'anyone',
    body: Type.Object({ token: Token, email: Email, password: Password, code: Type.Optional(Code) }),
    answers: { 201: SignedIn },
    audit: 'member.added',
  },
  retrieveInvitationLink: {
    id: 'retrieveInvitationLink',
    method: 'GET',
    path: '/invitations/:token',
    roles: 'anyone',
    answers: { 200: InvitationLink },
  },
  acceptInvitation: {
    id: 'acceptInvitation',
    method: 'POST',
    movesMoney: false,
    path: '/invitations',
    roles: 'anyone',
    body: Type.Object({
      token: Token,
      /** Not needed if the invited person is signed in. */
      password: Type.Optional(Password),
      code: Type.Optional(Code),
    }),
    answers: { 201: SignedIn },
    audit: 'member.added',
  },
  retrieveWorkspace: {
    id: 'retrieveWorkspace',
    method: 'GET',
    path: '/accounts/:account',
    roles: 'signed_in',
    answers: {
      200: Type.Object({
        ...Workspace.properties,
        livemode: Type.Boolean(),
        /** Ids of the operations that the person may call here now. */
        allowed_operations: Type.Array(Type.String()),
        processor_traits: ProcessorTraits,
        /** Account time: in the sandbox, real time plus the clock's offset. */
        now: IsoTime,
      }),
    },
  },
} as const satisfies Record<string, DashboardOperation>;
