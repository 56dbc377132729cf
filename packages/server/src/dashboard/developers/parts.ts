import type { Database } from '../../store/database.ts';
import type { WebhookParts } from '../../webhooks/dependencies.ts';

/** What the operations for developers need. */
export interface DeveloperParts extends WebhookParts {
  /** What lists and pages are read with. */
  readonly reads: Database;
}
