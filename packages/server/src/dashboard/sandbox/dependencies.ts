import type { ImportedReport, SandboxTrigger } from '@till/contract/dashboard';
import type { AccountContext } from '../../accounts/context.ts';
import type { moveTestDispute } from '../../disputes/api/move-dispute.ts';
import type { Clock } from '../../lib/clock.ts';
import type { PaymentDependencies } from '../../payments/dependencies.ts';
import type { RefundDependencies } from '../../refunds/dependencies.ts';
import type { TestHelperDependencies } from '../../sandbox-helpers/helpers.ts';
import type { ReportToImport } from '../../settlements/import-report.ts';
import type { Database } from '../../store/database.ts';

/** A row of the table of test cards and triggers. */
export interface Trigger {
  readonly id: string;
  readonly trigger: { readonly field: string; readonly value: string };
  readonly processor: string;
  readonly outcome: SandboxTrigger['outcome'];
  readonly failure_code?: string;
}

/** The dependencies of the sandbox tools. */
export interface SandboxToolDependencies {
  /** The database that their page is read from. */
  readonly db: Database;
  readonly clock: Clock;
  readonly helpers: TestHelperDependencies;
  readonly disputes: Parameters<typeof moveTestDispute>[0];
  readonly payments: PaymentDependencies;
  readonly refunds: RefundDependencies;
  readonly triggers: readonly Trigger[];
  /** Lets the simulated processor pay out what was charged, and imports its report; resolves to null if nothing was charged. */
  readonly payOut: (context: AccountContext, note: ReportToImport['note']) => Promise<ImportedReport | null>;
  readonly publicAddress: () => string;
}
