import { Plus, X } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { Button, IconButton } from '../../../components/buttons/button.tsx';
import { ErrorNote } from '../../../components/feedback/error-state.tsx';
import { RadioGroup } from '../../../components/forms/choices.tsx';
import { Field } from '../../../components/forms/field.tsx';
import { TextInput } from '../../../components/forms/inputs.tsx';
import { Dialog, DialogActions } from '../../../components/overlays/dialog.tsx';
import { roleLabel } from '../roles.ts';
import { type LimitRow, maxLimits, type RoleLimits, useRefundLimitsForm } from './use-refund-limits-form.ts';

/** Sets the maximum amount that one role may refund at once. The dialog is closed while `limits` is undefined. */
export function RefundLimitsDialog({
  limits,
  onClose,
}: {
  readonly limits: RoleLimits | undefined;
  readonly onClose: () => void;
}) {
  return (
    <Dialog
      open={limits !== undefined}
      onClose={onClose}
      title={`Refund limits of ${limits === undefined ? '' : roleLabel(limits.role)}`}
    >
      {limits !== undefined && <LimitsForm limits={limits} onClose={onClose} />}
    </Dialog>
  );
}

function LimitsForm({ limits, onClose }: { readonly limits: RoleLimits; readonly onClose: () => void }) {
  const form = useRefundLimitsForm(limits, onClose);
  const add = useRef<HTMLButtonElement>(null);
  const none = form.rows.length === 0;
  return (
    <form onSubmit={form.submit} noValidate className="flex flex-col gap-4">
      {none && <p className="text-text-2">No currency has a limit of its own.</p>}
      {form.rows.map((row, index) => (
        <Row
          key={row.id}
          row={row}
          number={index + 1}
          faults={form.faultsOf(index)}
          onChange={(change) => form.change(row.id, change)}
          onRemove={() => {
            form.remove(row.id);
            add.current?.focus();
          }}
        />
      ))}
      <div>
        <Button
          ref={add}
          size="sm"
          icon={Plus}
          unavailable={form.rows.length >= maxLimits ? `At most ${maxLimits} currencies.` : undefined}
          onClick={form.add}
        >
          Add a currency
        </Button>
      </div>
      <RadioGroup
        legend={none ? 'Refunds in every currency' : 'Refunds in other currencies'}
        name="other-currencies"
        value={form.others}
        onChange={(value) => form.setOthers(value === 'refused' ? 'refused' : 'unlimited')}
        choices={[
          { value: 'unlimited', label: 'Without a limit' },
          { value: 'refused', label: 'Not allowed' },
        ]}
      />
      <ErrorNote error={form.error} />
      <DialogActions>
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" variant="primary" busy={form.busy}>
          Save limits
        </Button>
      </DialogActions>
    </form>
  );
}

function Row({
  row,
  number,
  faults,
  onChange,
  onRemove,
}: {
  readonly row: LimitRow;
  readonly number: number;
  readonly faults: { readonly currency: string | undefined; readonly amount: string | undefined };
  readonly onChange: (change: Partial<Pick<LimitRow, 'currency' | 'amount'>>) => void;
  readonly onRemove: () => void;
}) {
  const first = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (row.isNew) first.current?.focus();
  }, [row.isNew]);
  return (
    <fieldset className="grid min-w-0 grid-cols-[5.5rem_minmax(0,1fr)_auto] sm:grid-cols-[7rem_minmax(0,1fr)_auto] items-start gap-2">
      <legend className="sr-only">Limit {number}</legend>
      <Field label="Currency" error={faults.currency} required>
        <TextInput
          ref={first}
          autoComplete="off"
          autoCapitalize="characters"
          spellCheck={false}
          maxLength={3}
          className="uppercase"
          value={row.currency}
          onChange={({ target }) => onChange({ currency: target.value })}
        />
      </Field>
      <Field label="Largest refund" error={faults.amount} required>
        <TextInput
          inputMode="decimal"
          autoComplete="off"
          value={row.amount}
          onChange={({ target }) => onChange({ amount: target.value })}
        />
      </Field>
      <span className="pt-6.5">
        <IconButton label={`Remove limit ${number}`} icon={X} onClick={onRemove} />
      </span>
    </fieldset>
  );
}
