import type { Workspace } from '../../api/session.ts';
import type { RadioChoice } from '../../components/forms/choices.tsx';

export type Role = Workspace['role'];

/** The roles with what each may do, from most to least. */
export const roleChoices: readonly (RadioChoice & { readonly value: Role; readonly label: string })[] = [
  { value: 'owner', label: 'Owner', hint: 'Everything, and the only role that makes and removes owners.' },
  { value: 'admin', label: 'Admin', hint: 'Everything but owners and closing the workspace.' },
  {
    value: 'developer',
    label: 'Developer',
    hint: 'Webhooks, logs, events, sandbox keys and tools. Sees everything; no live keys and no refunds of real money.',
  },
  {
    value: 'support',
    label: 'Support',
    hint: 'Sees everything; refunds, captures, voids and answers disputes.',
  },
  { value: 'viewer', label: 'Viewer', hint: 'Sees everything, changes nothing.' },
];

export const roleLabel = (role: Role): string =>
  roleChoices.find(({ value }) => value === role)?.label ?? role;

/** The roles that somebody may give: only owners make owners. */
export const rolesToGive = (own: Role | undefined) =>
  own === 'owner' ? roleChoices : roleChoices.filter(({ value }) => value !== 'owner');
