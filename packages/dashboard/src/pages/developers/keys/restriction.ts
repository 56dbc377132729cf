import type { GrantedPermission } from '@till/contract';
import type { NewKeyRestriction } from '@till/contract/dashboard';

/** The resources that permissions cover, in words, with the access that can be granted to each. */
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

/** The values of the form for a restricted key. Amounts are stored as typed. */
export interface RestrictionForm {
  readonly given: Readonly<Partial<Record<Resource['name'], string>>>;
  /** `YYYY-MM-DD`, or ''. */
  readonly endsOn: string;
  /** One address per line. */
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

/** The choices for one resource. */
export const choicesOf = ({ name, reads, writes }: Resource): { value: string; label: string }[] => [
  { value: '', label: 'Nothing' },
  ...(reads ? [{ value: `${name}:read`, label: 'Read' }] : []),
  ...(writes ? [{ value: `${name}:write`, label: 'Write' }] : []),
  ...(reads && writes ? [{ value: `${name}:*`, label: 'Read and write' }] : []),
];

/** The validation errors of the form, by field; {} if there are none. */
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

/** The request body of the form. The key expires at the end of its last day in UTC. */
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
