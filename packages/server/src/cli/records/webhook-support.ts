import { OperatorError } from '../../accounts/accounts.ts';
import { isoSeconds } from '../../lib/clock.ts';
import type { WebhookDependencies } from '../../webhooks/dependencies.ts';
import { accountOfEndpoint } from '../../webhooks/endpoints/endpoints.ts';
import { WebhookError } from '../../webhooks/errors.ts';
import { withDatabase } from '../lib/connect.ts';
import type { Shell } from '../lib/output.ts';

/** The server looks for what is due by itself. */
export const wake = () => {};

export const showTime = (time: Date | null) => time && isoSeconds(time);

/** What a merchant could not do either is an operator's mistake too. */
export async function asOperator<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof WebhookError ? new OperatorError(error.code, error.message) : error;
  }
}

export type EndpointDependencies = Omit<WebhookDependencies, 'vault'>;

/** Runs a command on the endpoint that it names. */
export function onEndpoint<T>(
  shell: Shell,
  id: string,
  work: (deps: EndpointDependencies, accountId: string) => Promise<T>,
): Promise<T> {
  return asOperator(() =>
    withDatabase(shell, async (base) => {
      const deps = { ...base, wake };
      return work(deps, await accountOfEndpoint(deps, id));
    }),
  );
}
