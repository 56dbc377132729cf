import { createPrivateKey, generateKeyPair, type KeyObject } from 'node:crypto';
import { promisify } from 'node:util';
import type { SandboxDependencies } from '../../lib/dependencies.ts';
import { keepDocument, readDocument } from '../../lib/documents.ts';
import { columnsOf } from '../../lib/json.ts';
import { selfSignedCertificate } from './certificate.ts';
import { sandboxOrigin } from './events.ts';

export interface SigningKey {
  readonly privateKey: KeyObject;
  /** In PEM format. */
  readonly certificate: string;
}

type KeyDependencies = Pick<SandboxDependencies, 'database' | 'randomBytes'>;

const keyName = 'processor_b';
// A longer period than any account's time is moved by.
const validity = { notBefore: new Date('2020-01-01T00:00:00Z'), notAfter: new Date('2049-12-31T23:59:59Z') };

async function read({ database }: KeyDependencies): Promise<SigningKey | null> {
  const kept = await readDocument(database, 'signing_key', keyName, null);
  if (kept === null) return null;
  const { private_key, certificate } = columnsOf(kept.body);
  return { privateKey: createPrivateKey(String(private_key)), certificate: String(certificate) };
}

async function make(deps: KeyDependencies): Promise<void> {
  const { privateKey } = await promisify(generateKeyPair)('rsa', { modulusLength: 2048 });
  const certificate = selfSignedCertificate({
    privateKey,
    host: new URL(sandboxOrigin).host,
    serial: deps.randomBytes(16),
    ...validity,
  });
  // If two processes create a key at the same time, both use the one that is stored first.
  await keepDocument(deps.database, {
    kind: 'signing_key',
    id: keyName,
    merchantAccount: '',
    body: { private_key: privateKey.export({ type: 'pkcs8', format: 'pem' }), certificate },
    at: validity.notBefore,
  });
}

async function obtain(deps: KeyDependencies): Promise<SigningKey> {
  const known = await read(deps);
  if (known !== null) return known;
  await make(deps);
  const made = await read(deps);
  if (made === null) throw new Error('the sandbox lost the key that it had just made');
  return made;
}

/**
 * Returns a function that reads, or first creates, the key pair of the simulated upstream's signatures. All
 * processes that use the same database share it.
 */
export function createSigningKey(deps: KeyDependencies): () => Promise<SigningKey> {
  let known: Promise<SigningKey> | undefined;
  return () => {
    known ??= obtain(deps).catch((error: unknown) => {
      known = undefined;
      throw error;
    });
    return known;
  };
}
