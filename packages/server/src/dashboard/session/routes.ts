import type { Provider } from '@till/contract';
import { dashboardApi, type ProcessorTraits } from '@till/contract/dashboard';
import { isoSeconds } from '../../lib/clock.ts';
import { processors } from '../../processors/registry.ts';
import { writePersonalAudit } from '../../users/audit/audit.ts';
import { requireInvitation } from '../../users/invitations/invitations.ts';
import { acceptInvitation, completeSetup } from '../../users/invitations/join.ts';
import { requireSetupLink } from '../../users/invitations/setup-links.ts';
import { findUserByEmail } from '../../users/people/users.ts';
import { endSession } from '../../users/sign-in/sessions.ts';
import { confirmSession, type SignedIn, signIn } from '../../users/sign-in/sign-in.ts';
import type { DashboardApi } from '../api.ts';
import type { SessionDependencies } from './dependencies.ts';
import { presentSignedIn } from './present.ts';

/** What pages need to know about the account's processor. */
function presentProcessor(processor: Provider): ProcessorTraits {
  const { words, capabilities, settlementReport } = processors[processor];
  return {
    name: words.name,
    does: words.does,
    credentials: [...words.credentials],
    browser_methods: [...capabilities.browserMethods],
    holds: capabilities.holds,
    evidence_types: [...capabilities.evidence.types],
    few_evidence_files: capabilities.evidence.fewFiles,
    settlement_report: settlementReport?.name ?? null,
  };
}

/** The operations that sign a person in and out, complete a setup link, accept an invitation, and retrieve the account. */
export function sessionDashboardRoutes(api: DashboardApi, deps: SessionDependencies): void {
  const { people } = deps;
  const signedIn = async (status: 200 | 201, { session, token }: SignedIn) => ({
    status,
    body: await presentSignedIn(deps, session, token),
    cookie: { token },
  });

  api.mountSession(dashboardApi.retrieveSession, async ({ session, token }) => ({
    status: 200,
    body: await presentSignedIn(deps, session, token ?? ''),
  }));
  api.mountSession(dashboardApi.createSession, async ({ body, client, token, suspend }) =>
    signedIn(200, await signIn({ ...people, suspend }, body, client, token)),
  );
  api.mountSession(dashboardApi.deleteSession, async ({ session, client }) => {
    await people.db.transaction(async (tx) => {
      await endSession(tx, session.userId, session.id);
      await writePersonalAudit(
        { ...people, db: tx },
        { id: session.userId, email: session.email },
        { action: 'session.ended', ip: client.ip, objectId: session.id },
      );
    });
    return { status: 200, body: { done: true }, cookie: 'clear' };
  });
  api.mountSession(dashboardApi.confirmSession, async ({ session, token, body, client, suspend }) => {
    const confirmed = await confirmSession({ ...people, suspend }, session, body, client);
    return { status: 200, body: await presentSignedIn(deps, confirmed, token ?? '') };
  });

  api.mountSession(dashboardApi.retrieveSetupLink, async ({ params }) => {
    const link = await requireSetupLink(people, params.token ?? '');
    return { status: 200, body: { accounts: link.accounts, expires_at: isoSeconds(link.expires_at) } };
  });
  api.mountSession(dashboardApi.completeSetup, async ({ body, client, token, suspend }) =>
    signedIn(201, await completeSetup({ ...people, suspend }, body, client, token)),
  );
  api.mountSession(dashboardApi.retrieveInvitationLink, async ({ params }) => {
    const invitation = await requireInvitation(people, params.token ?? '');
    const { account_name: accountName, email, role } = invitation;
    return {
      status: 200,
      body: {
        account_name: accountName,
        email,
        role,
        has_user: (await findUserByEmail(people.db, email)) !== undefined,
        expires_at: isoSeconds(invitation.expires_at),
      },
    };
  });
  api.mountSession(dashboardApi.acceptInvitation, async ({ body, session, client, token, suspend }) =>
    signedIn(201, await acceptInvitation({ ...people, suspend }, body, session, client, token)),
  );
  workspaceRoute(api);
}

function workspaceRoute(api: DashboardApi): void {
  api.mount(dashboardApi.retrieveWorkspace, async ({ staff, context }) => ({
    status: 200,
    body: {
      id: staff.accountId,
      name: context.accountName,
      environment: staff.livemode ? 'live' : 'sandbox',
      activation: context.activation,
      processor: context.processor,
      time_zone: context.timeZone,
      role: staff.role,
      livemode: staff.livemode,
      allowed_operations: api.allowedOperations(staff.role, staff.livemode),
      now: isoSeconds(context.now),
      processor_traits: presentProcessor(context.processor),
    },
  }));
}
