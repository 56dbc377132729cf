import { Tabs as Radix } from 'radix-ui';
import type { ReactNode } from 'react';
import { intoView } from '../../lib/browser/into-view.ts';

export interface Tab {
  readonly id: string;
  readonly label: ReactNode;
  readonly content: ReactNode;
}

/** Several views of one thing, shown one at a time. Keep the selected one in the URL if it should survive a reload. */
export function Tabs({
  label,
  tabs,
  value,
  onChange,
}: {
  readonly label: string;
  readonly tabs: readonly Tab[];
  readonly value?: string | undefined;
  readonly onChange?: (id: string) => void;
}) {
  const first = tabs[0]?.id ?? '';
  const chosen = value ?? first;
  return (
    <Radix.Root
      {...(value === undefined ? { defaultValue: first } : { value })}
      {...(onChange === undefined ? {} : { onValueChange: onChange })}
    >
      <Radix.List
        aria-label={label}
        data-scrolls=""
        className="flex gap-1 overflow-x-auto border-b border-line"
      >
        {tabs.map((tab) => (
          <Radix.Trigger
            key={tab.id}
            value={tab.id}
            ref={tab.id === chosen ? intoView : undefined}
            className="-mb-px border-b-2 border-transparent px-2.5 py-2 font-medium whitespace-nowrap text-text-2 -outline-offset-2 hover:text-text data-[state=active]:border-accent data-[state=active]:text-text"
          >
            {tab.label}
          </Radix.Trigger>
        ))}
      </Radix.List>
      {tabs.map((tab) => (
        <Radix.Content key={tab.id} value={tab.id} className="pt-4">
          {tab.content}
        </Radix.Content>
      ))}
    </Radix.Root>
  );
}
