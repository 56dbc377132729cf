import { Dispute } from '@till/contract';
import type { DisputeDependencies } from '../disputes/dependencies.ts';
import { keepEvidence } from '../disputes/evidence.ts';
import { DisputeStore } from '../disputes/store.ts';
import type { FileDependencies } from '../files/files.ts';
import { FileStore } from '../files/store.ts';
import { UploadTurns } from '../files/upload-turns.ts';
import type { Serializers } from '../http/api/serialize.ts';
import { describeError } from '../lib/log.ts';
import type { MailDependencies } from '../mail/queue-mail.ts';
import { OperationStore } from '../operations/store.ts';
import type { PaymentDependencies } from '../payments/dependencies.ts';
import type { ServerDependencies } from './dependencies.ts';

/** Disputes with their files. */
export function composeDisputes(
  { db, clock, log, instance }: ServerDependencies,
  built: {
    readonly payments: PaymentDependencies;
    readonly serializers: Serializers;
    readonly mail: MailDependencies;
  },
) {
  const { payments, serializers, mail } = built;
  const { waits, randomBytes, lease, connect, keepAnswer, isKeyTaken } = payments;
  const files: FileDependencies = { store: new FileStore(db), clock, randomBytes, turns: new UploadTurns() };
  const disputes: DisputeDependencies = {
    db,
    store: new DisputeStore(db),
    operations: new OperationStore(db, instance.number, keepEvidence),
    waits,
    files: files.store,
    payments: payments.store,
    mail,
    clock,
    randomBytes,
    lease,
    connect,
    write: serializers.for(Dispute),
    keepAnswer,
    isKeyTaken,
    onTrouble: ({ accountId: account }, message, about, error) =>
      log.error(message, { dispute: about?.id ?? '', account, ...describeError(error) }),
  };
  return { disputes, files };
}
