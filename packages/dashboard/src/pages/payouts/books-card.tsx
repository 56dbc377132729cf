import { type FormEvent, useState } from 'react';
import { type Answer, useCall, useChange } from '../../api/calls.ts';
import { useRefusal } from '../../api/session.ts';
import { Button } from '../../components/buttons/button.tsx';
import { ErrorNote, ErrorState, fieldError } from '../../components/feedback/error-state.tsx';
import { SkeletonLines } from '../../components/feedback/skeleton.tsx';
import { toast } from '../../components/feedback/toasts.tsx';
import { Field } from '../../components/forms/field.tsx';
import { TextInput } from '../../components/forms/inputs.tsx';
import { ConcurrentChanges, useDraft } from '../../components/forms/use-draft.tsx';
import { Card } from '../../components/layout/card.tsx';

type Books = Answer<'retrieveBookAccounts'>;

const accounts: readonly (readonly [keyof Books, label: string, hint: string])[] = [
  ['receivable', 'Receivables', 'Credited with each payment'],
  ['clearing', 'Processor', 'What is on its way: nothing is left after a payout'],
  ['bank', 'Bank', 'Debited with each payout'],
  ['fees', 'Fees', 'What the processor keeps'],
  ['refunds', 'Refunds', 'Debited with each refund'],
  ['chargebacks', 'Chargebacks', 'Debited, and credited where one is given back'],
  ['adjustments', 'Adjustments', 'Whatever else the processor books'],
];

/** The ledger accounts that the accounting export uses. */
export function BooksCard() {
  const answer = useCall('retrieveBookAccounts');
  return (
    <Card
      title="Accounts of your books"
      description="Names or numbers as your accounting has them. They stand in files that are exported from now on, in the sandbox and live."
    >
      {answer.data !== undefined ? (
        <BooksForm books={answer.data} />
      ) : answer.error === null ? (
        <SkeletonLines of="the accounts" lines={4} />
      ) : (
        <ErrorState error={answer.error} onRetry={() => void answer.refetch()} />
      )}
    </Card>
  );
}

function BooksForm({ books }: { readonly books: Books }) {
  const refusal = useRefusal()('updateBookAccounts');
  const save = useChange('updateBookAccounts', ['retrieveBookAccounts']);
  const draft = useDraft(books);
  const { typed } = draft;
  const [tried, setTried] = useState(false);
  const isSame = accounts.every(([name]) => typed[name].trim() === books[name]);
  const unchanged = isSame ? 'Nothing has been changed.' : undefined;
  const faultOf = (name: keyof Books) =>
    typed[name].trim() === '' ? 'Enter a name or a number.' : undefined;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setTried(true);
    if (accounts.some(([name]) => faultOf(name) !== undefined)) return;
    if (save.isPending || (refusal ?? unchanged) !== undefined) return;
    const onSuccess = () => {
      setTried(false);
      toast('Accounts changed');
    };
    save.mutate({ body: typed }, { onSuccess });
  };
  return (
    <form onSubmit={submit} noValidate className="flex flex-col gap-4">
      <div className="grid gap-x-4 gap-y-3 sm:grid-cols-2 xl:grid-cols-3">
        {accounts.map(([name, label, hint]) => (
          <Field
            key={name}
            label={label}
            hint={hint}
            error={(tried ? faultOf(name) : undefined) ?? fieldError(save.error, name)}
            required
          >
            <TextInput
              autoComplete="off"
              maxLength={64}
              value={typed[name]}
              onChange={({ target }) => draft.set({ [name]: target.value })}
            />
          </Field>
        ))}
      </div>
      <ConcurrentChanges
        draft={draft}
        labelOf={(field) => accounts.find(([name]) => name === field)?.[1] ?? field}
      />
      <ErrorNote error={save.error} />
      <div>
        <Button type="submit" variant="primary" busy={save.isPending} unavailable={refusal ?? unchanged}>
          Save accounts
        </Button>
      </div>
    </form>
  );
}
