import { Dispute } from '@till/contract';
import { keepEvidence } from '../disputes/evidence.ts';
import type { DisputeParts } from '../disputes/parts.ts';
import { DisputeStore } from '../disputes/store.ts';
import type { FileParts } from '../files/files.ts';
import { FileStore } from '../files/store.ts';
import { UploadTurns } from '../files/upload-turns.ts';
import type { Serializers } from '../http/api/serialize.ts';
import { describeError } from '../lib/log.ts';
import type { MailParts } from '../mail/queue-mail.ts';
import { OperationStore } from '../operations/store.ts';
import type { PaymentParts } from '../payments/parts.ts';
import type { ServerParts } from './parts.ts';

/** Disputes with their files. */
export function composeDisputes(
  { db, clock, log, instance }: ServerParts,
  built: {
    readonly payments: PaymentParts;
    readonly serializers: Serializers;
    readonly mail: MailParts;
  },
) {
  const { payments, serializers, mail } = built;
  const { waits, randomBytes, lease, connect, keepAnswer, isKeyTaken } = payments;
  const files: FileParts = { store: new FileStore(db), clock, randomBytes, turns: new UploadTurns() };
  const disputes: DisputeParts = {
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
    onTrouble: (message, { id, account_id: account }, error) =>
      log.error(message, { dispute: id, account, ...describeError(error) }),
  };
  return { disputes, files };
}
