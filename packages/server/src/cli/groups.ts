import type { Command } from 'commander';
import type { Shell } from './output.ts';

type AddCommands = (program: Command, shell: Shell) => void;

/** Each is loaded only when it is asked for: a command starts in a third of the time. */
export const groups: Readonly<Record<string, () => Promise<AddCommands>>> = {
  accounts: async () => (await import('./accounts.ts')).accountCommands,
  keys: async () => (await import('./accounts.ts')).keyCommands,
  users: async () => (await import('./users.ts')).userCommands,
  clock: async () => (await import('./accounts.ts')).clockCommands,
  sandbox: async () => (await import('./sandbox.ts')).sandboxCommands,
  db: async () => (await import('./sandbox.ts')).databaseCommands,
  notifications: async () => (await import('./notifications.ts')).notificationCommands,
  disputes: async () => (await import('./disputes.ts')).disputeCommands,
  mails: async () => (await import('./mails.ts')).mailCommands,
  logs: async () => (await import('./logs.ts')).logCommands,
  payments: async () => (await import('./payments.ts')).paymentCommands,
  events: async () => (await import('./events.ts')).eventCommands,
  figures: async () => (await import('./figures.ts')).figureCommands,
  migrate: async () => (await import('./migrate.ts')).migrateCommands,
  vault: async () => (await import('./vault.ts')).vaultCommands,
  reconcile: async () => (await import('./reconcile.ts')).reconcileCommands,
  // Two commands, added together.
  backup: async () => (await import('./backup.ts')).backupCommands,
  restore: async () => (await import('./backup.ts')).backupCommands,
  webhooks: async () => (await import('./webhooks.ts')).webhookCommands,
  listen: async () => (await import('./listen.ts')).listenCommands,
  pagecheck: async () => (await import('./pagecheck.ts')).pageCheckCommands,
  trigger: async () => (await import('./trigger.ts')).triggerCommands,
  doctor: async () => (await import('./doctor.ts')).doctorCommands,
  mcp: async () => (await import('./mcp.ts')).mcpCommands,
  connections: async () => (await import('./connections.ts')).connectionCommands,
  completion: async () => (await import('./completion.ts')).completionCommands,
};
