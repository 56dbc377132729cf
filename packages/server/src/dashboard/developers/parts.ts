import type { WebhookParts } from '../../webhooks/parts.ts';

/** What the operations for developers need. */
export type DeveloperParts = WebhookParts;
