import pg from 'pg';
import { cutOff } from './cut-off.ts';
import { driverAddress } from './driver-address.ts';
import type { Leader } from './leader.ts';

interface ParameterStatus {
  readonly parameterName: string;
  readonly parameterValue: string;
}

/** Parameters that a server reports when a connection begins and whenever they change (PostgreSQL 14 and later). */
const meansNoWrites = new Set(['in_hot_standby', 'default_transaction_read_only']);

/** A client class that connects to the current leader and closes its connection if the server turns out to be a standby. */
export const leaderClient = (leader: Leader): typeof pg.Client =>
  class extends pg.Client {
    constructor(options: pg.ClientConfig) {
      super({ ...options, connectionString: driverAddress(leader.place.url) });
      leader.register(this);
      const { connection } = this as unknown as {
        connection: { on(event: 'parameterStatus', listener: (status: ParameterStatus) => void): void };
      };
      connection.on('parameterStatus', ({ parameterName, parameterValue }) => {
        if (!meansNoWrites.has(parameterName) || parameterValue !== 'on') return;
        cutOff(this);
        leader.suspect();
      });
    }
  };
