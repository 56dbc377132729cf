import type { GrantedPermission } from '@till/contract';
import type { NewKeyRestriction } from '@till/contract/dashboard';

/** What permissions are about, in words, and what can be given of each. */
export const resources = [
  { name: 'payments', label: 'Payments', reads: true, writes: true },
  { name: 'refunds', label: 'Refunds', reads: true, writes: true },
  { name: 'customers', label: 'Customers and saved methods', reads: true, writes: true },
  { name: 'disputes', label: 'Disputes and files', reads: true, writes: true },
  { name: 'payouts', label: 'Payouts', reads: true, writes: false },
  { name: 'approvals', label: 'Approvals', reads: true, writes: false },
  { name: 'events', label: 'Events', reads: true, writes: false },
  { name: 'webhooks', label: 'Webhooks', reads: true, writes: true },
  { name: 'links', label: 'Payment links', reads: true, writes: true },
  { name: 'test_helpers', label: 'Test helpers (sandbox)', reads: false, writes: true },
] as const;
export type Resource = (typeof resources)[number];

/** What the form of a restricted key holds. Amounts as they are typed. */
export interface RestrictionForm {
  readonly given: Readonly<Partial<Record<Resource['name'], string>>>;
  /** `YYYY-MM-DD`, or empty. */
  readonly endsOn: string;
  /** One on each line. */
  readonly addresses: string;
  readonly maxAmount: string;
  readonly maxDaily: string;
  readonly approvalAbove: string;
}

export const emptyRestriction: RestrictionForm = {
  given: {},
  endsOn: '',
  addresses: '',
  maxAmount: '',
  maxDaily: '',
  approvalAbove: '',
};

/** What can be chosen of one resource. */
export const choicesOf = ({ name, reads, writes }: Resource): { value: string; label: string }[] => [
  { value: '', label: 'Nothing' },
  ...(reads ? [{ value: `${name}:read`, label: 'Read' }] : []),
  ...(writes ? [{ value: `${name}:write`, label: 'Write' }] : []),
  ...(reads && writes ? [{ value: `${name}:*`, label: 'Read and write' }] : []),
];

/** What is wrong with the form, by field; {} where nothing is. */
export function faultsOf(form: RestrictionForm): Partial<Record<keyof RestrictionForm, string>> {
  const amount = 'Enter a whole number of minor units, such as 5000 for 50.00, or nothing.';
  const isAmount = (text: string) => text.trim() === '' || /^[1-9]\d{0,11}$/.test(text.trim());
  return {
    ...(permissionsOf(form).length === 0 ? { given: 'Choose what the key may do.' } : {}),
    ...(isAmount(form.maxAmount) ? {} : { maxAmount: amount }),
    ...(isAmount(form.maxDaily) ? {} : { maxDaily: amount }),
    ...(isAmount(form.approvalAbove) || form.approvalAbove.trim() === '0' ? {} : { approvalAbove: amount }),
  };
}

const permissionsOf = ({ given }: RestrictionForm): GrantedPermission[] =>
  Object.values(given).filter((value) => value !== '') as GrantedPermission[];

/** The form as the server takes it. The key ends when its last day does, in UTC. */
export function restrictionOf(form: RestrictionForm): NewKeyRestriction {
  const addresses = form.addresses.split(/[\s,]+/).filter((address) => address !== '');
  const amount = (text: string) => Number(text.trim());
  return {
    permissions: permissionsOf(form),
    ...(form.endsOn === '' ? {} : { ends_at: `${form.endsOn}T23:59:59Z` }),
    ...(addresses.length === 0 ? {} : { addresses }),
    ...(form.maxAmount.trim() === '' ? {} : { max_amount: amount(form.maxAmount) }),
    ...(form.maxDaily.trim() === '' ? {} : { max_daily: amount(form.maxDaily) }),
    ...(form.approvalAbove.trim() === '' ? {} : { approval_above: amount(form.approvalAbove) }),
  };
}
