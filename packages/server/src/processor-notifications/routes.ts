import { providers } from '@till/contract';
import type { FastifyInstance } from 'fastify';
import { suspendOf } from '../http/admission/admit.ts';
import { rawRequest } from '../http/server/raw-request.ts';
import { notificationPath } from '../processors/port/notifications.ts';
import type { IntakeDependencies } from './dependencies.ts';
import { receiveNotification } from './receive-notification.ts';

/** Routes for the processors' notifications. They need no API key: the sender proves its identity with its signature. */
export function processorNotificationRoutes(app: FastifyInstance, deps: IntakeDependencies): void {
  for (const processor of providers) {
    app.post(notificationPath(processor, ':account'), async (request, reply) => {
      const { account } = request.params as { account: string };
      const receipt = await receiveNotification(deps, processor, account, {
        suspend: suspendOf(request),
        ...rawRequest(request),
      });
      request.logFields.account = account;
      return reply.header('content-type', 'text/plain; charset=utf-8').send(receipt);
    });
  }
}
