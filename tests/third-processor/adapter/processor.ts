import type { NoAnswer, ProcessorConnection } from '../../../packages/server/src/processors/port/port.ts';
import { isNoAnswer, notExecuted } from '../../../packages/server/src/processors/upstream/no-answer.ts';
import { observed } from '../../../packages/server/src/processors/upstream/observation.ts';
import type { Processor } from '../../../packages/server/src/processors/upstream/processor.ts';
import { capabilities } from './capabilities.ts';
import { cancel, charge, confirm, lookUp } from './charges.ts';
import { openSession, type Session } from './client.ts';
import { names } from './names.ts';
import { refund } from './refund.ts';

const text = /^[\x21-\x7e]{1,500}$/;
const refused = async () => ({ kind: 'refused', message: 'This processor has no disputes.' }) as const;
const notOffered = (): never => {
  throw new Error('this processor holds and keeps nothing');
};

/** A card processor that charges and refunds at once, and sends no notifications. */
export const processorC: Processor = {
  words: { name: 'Processor C', does: 'Card acquiring.', credentials: ['Secret key', 'Merchant id'] },
  capabilities,
  credentialFields: [
    {
      name: 'secret_key',
      key: 'secretKey',
      meaning: 'secret key',
      required: 'always',
      secret: true,
      pattern: text,
    },
    {
      name: 'merchant_id',
      key: 'merchantId',
      meaning: 'merchant id',
      required: 'always',
      secret: false,
      pattern: text,
    },
  ],
  merchantAccountKey: 'merchantId',
  environmentHosts: { test: /^https:\/\/test\.cards\.example\//, live: /^https:\/\/cards\.example\// },
  defaultHosts(livemode) {
    const host = livemode ? 'https://cards.example' : 'https://test.cards.example';
    return { baseUrl: host, disputesUrl: host };
  },
  createAdapter(dependencies) {
    const operation =
      <Request, Outcome extends { readonly kind: string }>(
        name: string,
        run: (session: Session, request: Request) => Promise<Outcome>,
      ) =>
      (connection: ProcessorConnection, request: Request): Promise<Outcome | NoAnswer> =>
        observed<Outcome | NoAnswer>(dependencies, connection, name, async (note) =>
          connection.credentials.secretKey === undefined
            ? notExecuted('provider_error', 'credentials missing')
            : run(openSession(dependencies.transport, connection, note), request),
        );
    return {
      name: names.provider,
      capabilities,
      retryAfterSeconds: (connection) => dependencies.guard?.retryAfterSeconds(connection) ?? null,
      supportsAmount: () => true,
      canSave: () => false,
      unsentFields: () => [],
      charge: operation('charge', charge),
      confirm: operation('confirm', confirm),
      capture: async () => notOffered(),
      void: async () => notOffered(),
      lookUp: operation('look_up', lookUp),
      cancel: operation('cancel', cancel),
      removeInstrument: async () => notOffered(),
      refund: operation('refund', refund),
      acceptDispute: refused,
      defendDispute: refused,
      notificationReceipt: '',
      receiveNotification: async () => ({ kind: 'refused', reason: 'this processor sends none' }),
      interpretNotification: async () => [],
    };
  },
  async checkConnection(transport, connection) {
    const answer = await openSession(transport, connection, () => {}).read('/v1/account');
    const ok = !isNoAnswer(answer) && answer.status === 200;
    return [{ check: 'secret key', ok, detail: ok ? 'accepted' : 'not accepted' }];
  },
  simulator: {
    hosts: (origin) => ({ baseUrl: origin, disputesUrl: origin }),
    credentials: (merchantAccount) => ({ secretKey: merchantAccount, merchantId: merchantAccount }),
  },
};
