import pg from 'pg';
import { describe, expect, it } from 'vitest';
import { isConnectionRefused, isUnavailable } from './errors.ts';

const refused = (code: string) => Object.assign(new pg.DatabaseError('refused', 0, 'error'), { code });
const untrusted = (code: string) => Object.assign(new Error('unable to verify'), { code });

describe('a connection that is refused is an outage, since nothing was begun:', () => {
  it.each([
    ['a password that was changed', refused('28P01')],
    ['a user or host without an entry in pg_hba.conf', refused('28000')],
    ['a database that is not there', refused('3D000')],
    ['a certificate of an unknown authority', untrusted('UNABLE_TO_VERIFY_LEAF_SIGNATURE')],
    ['a certificate that has expired', untrusted('CERT_HAS_EXPIRED')],
    ['a certificate of another host', untrusted('ERR_TLS_CERT_ALTNAME_INVALID')],
    ['a server without TLS', new Error('The server does not support SSL connections')],
  ])('%s', (_why, error) => {
    expect([isConnectionRefused(error), isUnavailable(error)]).toEqual([true, true]);
  });

  it('a statement without permission is none', () => {
    const error = refused('42501');
    expect([isConnectionRefused(error), isUnavailable(error)]).toEqual([false, false]);
  });
});
