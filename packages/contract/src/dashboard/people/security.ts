import { type Static, Type } from 'typebox';
import { type DashboardOperation, Done, IsoTime } from '../../api/dashboard-operation.ts';
import { Nullable, Text } from '../../primitives/common.ts';
import { passwordLimits, SignedIn } from './session.ts';

/** A session of the person on one device. */
export const SessionInfo = Type.Object({
  id: Type.String(),
  current: Type.Boolean(),
  ip: Type.String(),
  user_agent: Nullable(Type.String()),
  created_at: IsoTime,
  last_seen_at: IsoTime,
  expires_at: IsoTime,
});
export type SessionInfo = Static<typeof SessionInfo>;

const RecoveryCodes = Type.Object({
  /** Each code can be used once instead of an authenticator code. Returned only once. */
  recovery_codes: Type.Array(Type.String()),
});

/** Operations on a person's own security. They do not belong to an account. */
export const securityApi = {
  retrieveSecurity: {
    id: 'retrieveSecurity',
    method: 'GET',
    path: '/security',
    roles: 'signed_in',
    answers: {
      200: Type.Object({
        totp: Type.Object({
          enabled: Type.Boolean(),
          enabled_at: Nullable(IsoTime),
          recovery_codes_left: Type.Integer(),
        }),
        password_changed_at: IsoTime,
        /** Most recently used first. */
        sessions: Type.Array(SessionInfo),
      }),
    },
  },
  changePassword: {
    id: 'changePassword',
    method: 'POST',
    movesMoney: false,
    path: '/security/password',
    roles: 'signed_in',
    body: Type.Object({
      current_password: Text(passwordLimits.max),
      new_password: Text(passwordLimits.max),
    }),
    /** Ends every other session. The current one continues under a new id. */
    answers: { 200: SignedIn },
    audit: 'password.changed',
  },
  endSession: {
    id: 'endSession',
    method: 'DELETE',
    path: '/security/sessions/:id',
    roles: 'signed_in',
    answers: { 200: Done },
    audit: 'session.ended',
  },
  endOtherSessions: {
    id: 'endOtherSessions',
    method: 'DELETE',
    path: '/security/sessions',
    roles: 'signed_in',
    answers: { 200: Type.Object({ ended: Type.Integer() }) },
    audit: 'session.ended',
  },
  beginTotp: {
    id: 'beginTotp',
    method: 'POST',
    movesMoney: false,
    path: '/security/totp',
    roles: 'signed_in',
    confirmation: true,
    /** Sign-in does not ask for a code before `activateTotp`. */
    answers: {
      201: Type.Object({
        secret: Type.String({ description: 'Base32, for typing.' }),
        uri: Type.String({ description: 'otpauth://' }),
        qr_svg: Type.String({ description: 'The same as a picture.' }),
      }),
    },
    audit: 'totp.begun',
  },
  activateTotp: {
    id: 'activateTotp',
    method: 'POST',
    movesMoney: false,
    path: '/security/totp/activate',
    roles: 'signed_in',
    confirmation: true,
    body: Type.Object({ code: Text(40) }),
    answers: { 200: RecoveryCodes },
    audit: 'totp.enabled',
  },
  disableTotp: {
    id: 'disableTotp',
    method: 'DELETE',
    path: '/security/totp',
    roles: 'signed_in',
    confirmation: true,
    answers: { 200: Done },
    audit: 'totp.disabled',
  },
  renewRecoveryCodes: {
    id: 'renewRecoveryCodes',
    method: 'POST',
    movesMoney: false,
    path: '/security/recovery_codes',
    roles: 'signed_in',
    confirmation: true,
    answers: { 200: RecoveryCodes },
    audit: 'recovery_codes.renewed',
  },
} as const satisfies Record<string, DashboardOperation>;
