import { Lock } from 'lucide-react';
import type { ReactNode } from 'react';
import type { OperationName } from '../../api/calls.ts';
import { useMay, useWorkspace } from '../../api/session.ts';
import { EmptyState } from '../feedback/empty-state.tsx';
import { Card } from './card.tsx';

/** Whether the person may read this. True while it is unknown, because most roles may. */
export function useAllowed(operation: OperationName): boolean {
  const may = useMay();
  return useWorkspace() === undefined || may(operation);
}

/** Shows the content to roles that may read it, and an explanation to all others. */
export function RoleGate({
  operation,
  what,
  children,
}: {
  readonly operation: OperationName;
  /** What the person would see: "API keys". */
  readonly what: string;
  readonly children: ReactNode;
}) {
  const role = useWorkspace()?.role;
  if (useAllowed(operation)) return children;
  return (
    <Card flush>
      <EmptyState icon={Lock} title={`Your role does not show ${what}`}>
        You are here as {role}. Owners, admins and developers see this page; an owner or admin can change your
        role under Settings, Team.
      </EmptyState>
    </Card>
  );
}
