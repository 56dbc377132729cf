import { ApiError } from '@till/contract';
import { type DashboardOperation, dashboardApi } from '@till/contract/dashboard';
import { renderSVG } from 'uqr';
import { isoSeconds } from '../../lib/clock.ts';
import type { Queryable } from '../../store/database.ts';
import { writePersonalAudit } from '../../users/audit/audit.ts';
import type { PeopleDependencies } from '../../users/people/dependencies.ts';
import { findUser } from '../../users/people/users.ts';
import { endOtherSessions, endSession, listSessions, type Session } from '../../users/sign-in/sessions.ts';
import { changePassword } from '../../users/sign-in/sign-in.ts';
import {
  activateTotp,
  beginTotp,
  disableTotp,
  renewRecoveryCodes,
  requireTotp,
  totpState,
} from '../../users/sign-in/totp.ts';
import type { Client, DashboardApi } from '../api.ts';
import type { SessionDependencies } from '../session/dependencies.ts';
import { presentSession, presentSignedIn } from '../session/present.ts';

const userOf = ({ userId, email }: Session) => ({ id: userId, email });

/** The operations on a person's own password, sessions and second factor. */
export function securityDashboardRoutes(api: DashboardApi, deps: SessionDependencies): void {
  const { people } = deps;
  const change = personalChange(people);
  api.mountSession(dashboardApi.retrieveSecurity, async ({ session }) => ({
    status: 200,
    body: await security(deps, session),
  }));
  api.mountSession(dashboardApi.changePassword, async ({ session, body, client, suspend }) => {
    const options = { currentPassword: body.current_password, newPassword: body.new_password };
    const started = await changePassword({ ...people, suspend }, session, options, client);
    return {
      status: 200,
      body: await presentSignedIn(deps, started.session, started.token),
      cookie: { token: started.token },
    };
  });
  api.mountSession(dashboardApi.endSession, async (call) => {
    const id = call.params.id ?? '';
    await change(dashboardApi.endSession, call, id, async (tx) => {
      if (await endSession(tx, call.session.userId, id)) return;
      throw new ApiError('not_found', 'There is no such session.');
    });
    return { status: 200, body: { done: true } };
  });
  api.mountSession(dashboardApi.endOtherSessions, async (call) => {
    const { userId, id } = call.session;
    const ended = await change(dashboardApi.endOtherSessions, call, userId, (tx) =>
      endOtherSessions(tx, userId, id),
    );
    return { status: 200, body: { ended } };
  });

  totpRoutes(api, people);
}

/** Commits a change that a person makes to their own data, together with its audit entries. */
const personalChange =
  (people: PeopleDependencies) =>
  <T>(
    { audit: action = '' }: DashboardOperation,
    { session, client }: { readonly session: Session; readonly client: Client },
    objectId: string,
    work: (tx: Queryable) => Promise<T>,
  ): Promise<T> =>
    people.db.transaction(async (tx) => {
      const result = await work(tx);
      const entry = { action, ip: client.ip, objectId };
      await writePersonalAudit({ ...people, db: tx }, userOf(session), entry);
      return result;
    });

function totpRoutes(api: DashboardApi, people: PeopleDependencies): void {
  const change = personalChange(people);
  api.mountSession(dashboardApi.beginTotp, async (call) => {
    const { secret, uri } = await change(dashboardApi.beginTotp, call, call.session.userId, (tx) =>
      beginTotp({ ...people, db: tx }, userOf(call.session)),
    );
    return { status: 201, body: { secret, uri, qr_svg: renderSVG(uri, { ecc: 'M', border: 2 }) } };
  });
  api.mountSession(dashboardApi.activateTotp, async (call) => {
    const codes = await change(dashboardApi.activateTotp, call, call.session.userId, (tx) =>
      activateTotp({ ...people, db: tx }, call.session.userId, call.body.code),
    );
    return { status: 200, body: { recovery_codes: codes } };
  });
  api.mountSession(dashboardApi.disableTotp, async (call) => {
    await change(dashboardApi.disableTotp, call, call.session.userId, (tx) =>
      disableTotp(tx, call.session.userId),
    );
    return { status: 200, body: { done: true } };
  });
  api.mountSession(dashboardApi.renewRecoveryCodes, async (call) => {
    const codes = await change(dashboardApi.renewRecoveryCodes, call, call.session.userId, async (tx) => {
      await requireTotp(tx, call.session.userId);
      return renewRecoveryCodes({ ...people, db: tx }, call.session.userId);
    });
    return { status: 200, body: { recovery_codes: codes } };
  });
}

async function security({ people }: SessionDependencies, session: Session) {
  const [totp, user, sessions] = await Promise.all([
    totpState(people.db, session.userId),
    findUser(people.db, session.userId),
    listSessions(people, session.userId),
  ]);
  return {
    totp: {
      enabled: totp.enabledAt !== null,
      enabled_at: totp.enabledAt === null ? null : isoSeconds(totp.enabledAt),
      recovery_codes_left: totp.recoveryCodesLeft,
    },
    password_changed_at: isoSeconds(user?.password_changed_at ?? user?.created_at ?? session.createdAt),
    sessions: sessions.map((row) => presentSession(row, session.id)),
  };
}
