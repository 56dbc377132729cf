import type { Workspace } from '../../api/session.ts';
import type { RadioChoice } from '../../components/forms/choices.tsx';

export type Role = Workspace['role'];

/** The roles with their permissions, from the highest to the lowest. */
export const roleChoices: readonly (RadioChoice & { readonly value: Role; readonly label: string })[] = [
  { value: 'owner', label: 'Owner', hint: 'Everything, and the only role that makes and removes owners.' },
  {
    value: 'admin',
    label: 'Admin',
    hint: 'Everything but owners and the amounts above which a role waits for approval.',
  },
  {
    value: 'developer',
    label: 'Developer',
    hint: 'Webhooks, logs, sandbox keys and tools. Sees everything; no live keys, and moves no real money.',
  },
  {
    value: 'support',
    label: 'Support',
    hint: 'Refunds, captures, voids, answers disputes and makes payment links. Sees everything but keys, webhooks, request logs, mails and the audit log.',
  },
  { value: 'viewer', label: 'Viewer', hint: 'Changes nothing. Sees what support sees.' },
];

export const roleLabel = (role: Role): string =>
  roleChoices.find(({ value }) => value === role)?.label ?? role;

/** The roles that a person may assign: only owners make owners. */
export const rolesToGive = (own: Role | undefined) =>
  own === 'owner' ? roleChoices : roleChoices.filter(({ value }) => value !== 'owner');
